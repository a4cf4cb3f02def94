// One panel of the slices: curves over the paper's axis, their maxima, a cursor, and curves that can be dragged.

import { axes } from './plot.js';
import { nearestSlicePoint, sliceNumber, sliceProbability } from './slice_curves.js';
import { colour, element, stage } from './ui.js';

const SLICE_NEAR = { mouse: 9, pen: 14, touch: 24 }; // pixels within which a curve is meant
const SLICE_PULL = 0.6; // of a slider's range, for a drag as wide as the panel
const SLICE_KEYS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -20, PageUp: 20 };
const SLICE_LEGEND_LINE = 20;

// Where a knob stands after it was turned by a share of its slider; not beyond the slider's ends, unless it was there.
export function turnedBy({ from, to, ratio, whole }, value, share) {
  const low = Math.min(from, value);
  const high = Math.max(to, value);
  const turned = ratio ? value * (to / from) ** share : value + (to - from) * share;
  const kept = Math.min(high, Math.max(low, turned));
  return whole ? Math.round(kept) : Number(kept.toPrecision(3));
}

// A piece of a curve, for lists.
export function sliceSwatch({ colour: name, dash }) {
  const style = `border-top: 3px ${dash.length ? 'dashed' : 'solid'} var(${name})`;
  return element('span', { class: 'slice-swatch', 'aria-hidden': 'true', style });
}

// A text in a box beside a place, inside of the panel.
function sliceBubble(context, lines, x, y, width) {
  context.font = '12px system-ui, sans-serif';
  const wide = Math.max(...lines.map((line) => context.measureText(line).width)) + 14;
  const high = 17 * lines.length + 8;
  const left = x + 14 + wide < width ? x + 14 : Math.max(2, x - 14 - wide);
  const top = Math.max(2, y - high - 10);
  context.fillStyle = colour('--panel');
  context.strokeStyle = colour('--rule');
  context.lineWidth = 1;
  context.beginPath();
  context.roundRect(left, top, wide, high, 5);
  context.fill();
  context.stroke();
  context.fillStyle = colour('--ink');
  context.textAlign = 'left';
  context.textBaseline = 'top';
  lines.forEach((line, i) => context.fillText(line, left + 7, top + 6 + 17 * i));
}

export class SlicePanel {
  // `owner`: { kelvin, axis, cursor, curves(panel), range(panel), moveCursor(index), look(), turned(knobs) }; curves
  // have `key`, `label`, `told`, `style` and `knobs`, what they can be dragged by: { name, range, value, set(value) }.
  constructor(owner, index, name) {
    Object.assign(this, { owner, index, name, under: null, drag: null, pointer: null });
    this.stage = stage({
      label: `${name}: log-densities at the probability p`,
      shape: (width) => (width > 520 ? 0.5 : 0.84),
      draw: (context, width, height) => this.draw(context, width, height),
    });
    this.at = element('span', { class: 'slice-at' });
    this.legend = element('dl', { class: 'slice-legend' });
    this.caption = element('figcaption');
    const head = element('div', { class: 'slice-head' }, element('h3', {}, name), this.at);
    this.root = element('figure', {}, head, this.stage.canvas, this.legend, this.caption);
    this.listen(this.stage.canvas);
  }

  // ---- the picture ----

  frame(context, width, height, bottom) {
    const { axis } = this.owner;
    const [low, high] = this.owner.range(this.index);
    const left = 54;
    const right = 10;
    const room = width - left - right;
    const ticks = axis.ticks.map(([at, text]) => [at, room < 225 && /⁻³/.test(text) ? '' : text]);
    return axes(context, width, height, {
      x: { from: axis.from, to: axis.to, ticks, label: 'p, probability of the true class' },
      y: { from: low, to: high, label: 'log-density' },
      left, right, bottom,
    });
  }

  drawCurves(context, frame) {
    const { axis } = this.owner;
    const [low, high] = this.owner.range(this.index);
    const reach = 20 * (high - low); // what falls by millions must still be a number of pixels
    const curves = this.owner.curves(this.index);
    const chosen = this.drag?.key ?? this.under?.key;
    const level = (curve) => (curve.key === chosen ? 2 : curve.style.dash.length ? 1 : 0);
    for (const curve of [...curves].sort((a, b) => level(a) - level(b))) {
      const points = axis.x.map((x, k) => [x, Math.max(low - reach, curve.drawn[k])]);
      const { colour: name, dash } = curve.style;
      frame.line(points, { stroke: colour(name), width: curve.key === chosen ? 4 : 2.2, dash });
    }
    frame.clip(() => {
      for (const curve of curves)
        for (const { x, y } of curve.maxima) this.dot(context, frame.x(x), frame.y(y), 5.5, curve);
    });
  }

  dot(context, x, y, size, curve) {
    context.beginPath();
    context.arc(x, y, size, 0, 2 * Math.PI);
    context.fillStyle = colour(curve.style.colour);
    context.strokeStyle = colour('--paper');
    context.lineWidth = 1.5;
    context.fill();
    context.stroke();
  }

  drawCursor(context, frame) {
    const { axis, cursor } = this.owner;
    const x = frame.x(axis.x[cursor]);
    context.strokeStyle = colour('--soft');
    context.lineWidth = 1;
    context.setLineDash([2, 3]);
    context.beginPath();
    context.moveTo(x, frame.box.top);
    context.lineTo(x, frame.box.bottom);
    context.stroke();
    context.setLineDash([]);
    frame.clip(() => {
      for (const curve of this.owner.curves(this.index)) this.dot(context, x, frame.y(curve.drawn[cursor]), 3, curve);
    });
  }

  // What is said beside the pointer.
  saying() {
    if (this.drag) return this.drag.knobs.map((knob) => `${knob.name} = ${sliceNumber(knob.value)}`);
    if (!this.under) return [];
    const { maximum, label, knobs } = this.under;
    if (maximum) return [label, `maximum at p = ${sliceProbability(this.owner.kelvin, maximum.t)}`];
    return [label, ...knobs.map((knob) => `${knob.name} = ${sliceNumber(knob.value)}`)];
  }

  draw(context, width, height) {
    this.shown = this.frame(context, width, height, 40);
    this.drawCursor(context, this.shown);
    this.drawCurves(context, this.shown);
    const lines = this.saying();
    if (lines.length && this.pointer) sliceBubble(context, lines, this.pointer.x, this.pointer.y, width);
  }

  // The same for a file: with its name and its legend, which the page has beside the picture.
  print(width, height) {
    const ratio = 2;
    const curves = this.owner.curves(this.index);
    const below = SLICE_LEGEND_LINE * Math.max(...[0, 1, 2].map((i) => this.owner.curves(i).length)) + 8;
    const sheet = element('canvas', { width: ratio * width, height: ratio * (height + 26 + below) });
    const context = sheet.getContext('2d');
    context.scale(ratio, ratio);
    context.font = '600 15px system-ui, sans-serif';
    context.fillStyle = colour('--ink');
    context.textAlign = 'center';
    context.fillText(this.name, width / 2, 17);
    context.translate(0, 24);
    this.drawCurves(context, this.frame(context, width, height, 40));
    context.font = '13px system-ui, sans-serif';
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    curves.forEach((curve, i) => this.printEntry(context, curve, height + 14 + SLICE_LEGEND_LINE * i));
    return sheet;
  }

  printEntry(context, curve, y) {
    context.strokeStyle = colour(curve.style.colour);
    context.lineWidth = 2.5;
    context.setLineDash(curve.style.dash);
    context.beginPath();
    context.moveTo(48, y);
    context.lineTo(82, y);
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colour('--ink');
    context.fillText(curve.told, 92, y);
  }

  // ---- the legend, with the values at the cursor ----

  relist() {
    this.values = this.owner.curves(this.index).map((curve) => {
      const value = element('dd');
      return { row: element('div', {}, element('dt', {}, sliceSwatch(curve.style), curve.label), value), value };
    });
    this.legend.replaceChildren(...this.values.map(({ row }) => row));
  }

  tell() {
    const { axis, cursor, kelvin } = this.owner;
    const curves = this.owner.curves(this.index);
    const p = `p = ${sliceProbability(kelvin, axis.t[cursor])}`;
    if (curves.length !== this.values?.length) this.relist();
    this.at.textContent = p;
    const texts = curves.map((curve) => sliceNumber(curve.drawn[cursor]));
    texts.forEach((text, i) => { this.values[i].value.textContent = text; });
    const { canvas } = this.stage;
    canvas.setAttribute('aria-valuenow', cursor);
    canvas.setAttribute('aria-valuetext',
      [p, ...curves.map((curve, i) => `${curve.label}: ${texts[i]}`)].join(', '));
  }

  // ---- hands ----

  listen(canvas) {
    const attributes = {
      role: 'slider', tabindex: 0, 'aria-valuemin': 0, 'aria-valuemax': this.owner.axis.x.length - 1,
      'aria-valuenow': this.owner.cursor,
    };
    for (const [key, value] of Object.entries(attributes)) canvas.setAttribute(key, value);
    canvas.style.touchAction = 'pan-y'; // up and down scrolls a phone's page, left and right drags
    canvas.addEventListener('keydown', (event) => this.press(event));
    canvas.addEventListener('pointermove', (event) => this.move(event));
    canvas.addEventListener('pointerdown', (event) => this.grab(event));
    canvas.addEventListener('pointerup', () => this.release());
    canvas.addEventListener('pointercancel', () => this.release(true));
    canvas.addEventListener('pointerleave', () => this.leave());
  }

  press(event) {
    const { owner } = this;
    const last = owner.axis.x.length - 1;
    const step = SLICE_KEYS[event.key];
    const to = event.key === 'Home' ? 0 : event.key === 'End' ? last : owner.cursor + step * (event.shiftKey ? 10 : 1);
    if (!Number.isFinite(to) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    owner.moveCursor(Math.min(last, Math.max(0, to)));
  }

  place(event) {
    const bounds = this.stage.canvas.getBoundingClientRect();
    return { x: event.clientX - bounds.left, y: event.clientY - bounds.top };
  }

  // The curve under a place, or its maximum: a copy, since curves are made anew when they change.
  hit({ x, y }, type) {
    const near = SLICE_NEAR[type] ?? SLICE_NEAR.mouse;
    const { axis } = this.owner;
    let best = null;
    let least = near;
    const consider = (curve, px, py, bonus, maximum) => {
      const far = Math.hypot(px - x, py - y) - bonus;
      if (far >= least) return;
      least = far;
      best = { key: curve.key, label: curve.label, knobs: curve.knobs, maximum };
    };
    const { box } = this.shown;
    const inside = (py) => py >= box.top - 1 && py <= box.bottom + 1;
    for (const curve of this.owner.curves(this.index)) {
      for (const maximum of curve.maxima) {
        const py = this.shown.y(maximum.y);
        if (inside(py)) consider(curve, this.shown.x(maximum.x), py, 4, maximum);
      }
      let before = null;
      axis.x.forEach((at, k) => {
        const here = [this.shown.x(at), this.shown.y(curve.drawn[k])];
        if (before && Math.min(before[0], here[0]) <= x + near && Math.max(before[0], here[0]) >= x - near) {
          const [px, py] = this.nearestOn(before, here, x, y);
          if (inside(py)) consider(curve, px, py, 0, null);
        }
        before = here;
      });
    }
    return best;
  }

  // The point of a line that is nearest to (x, y): curves can fall by the whole panel between two points.
  nearestOn([ax, ay], [bx, by], x, y) {
    const length = (bx - ax) ** 2 + (by - ay) ** 2;
    const share = length ? Math.min(1, Math.max(0, ((x - ax) * (bx - ax) + (y - ay) * (by - ay)) / length)) : 0;
    return [ax + share * (bx - ax), ay + share * (by - ay)];
  }

  move(event) {
    if (!this.shown) return;
    this.pointer = this.place(event);
    if (this.drag) {
      this.pull();
      return;
    }
    this.under = this.hit(this.pointer, event.pointerType);
    this.stage.canvas.style.cursor = this.under?.knobs.length ? 'grab' : 'crosshair';
    this.point();
  }

  point() {
    const { axis } = this.owner;
    const { box } = this.shown;
    const share = (this.pointer.x - box.left) / (box.right - box.left);
    this.owner.moveCursor(nearestSlicePoint(axis, axis.from + share * (axis.to - axis.from)));
  }

  grab(event) {
    if (!this.shown || event.button) return;
    this.pointer = this.place(event);
    this.under = this.hit(this.pointer, event.pointerType);
    this.point();
    if (!this.under?.knobs.length) return;
    const { key, knobs } = this.under;
    this.drag = { key, knobs, from: this.pointer, values: knobs.map((knob) => knob.value) };
    this.stage.canvas.setPointerCapture(event.pointerId);
    this.stage.canvas.style.cursor = 'grabbing';
    this.owner.look();
  }

  // To the right is more of the first number, and up more of the second; of the first if there is but one.
  pull() {
    const { from, knobs, values } = this.drag;
    const { box } = this.shown;
    const unit = SLICE_PULL / (box.right - box.left);
    const right = (this.pointer.x - from.x) * unit;
    const up = (from.y - this.pointer.y) * unit;
    const shares = knobs.length > 1 ? [right, up] : [right + up];
    shares.forEach((share, i) => knobs[i].set(turnedBy(knobs[i].range, values[i], share)));
    this.owner.turned(knobs);
  }

  // A gesture that became a scroll was not meant for the curve.
  release(back = false) {
    if (!this.drag) return;
    const { knobs, values } = this.drag;
    this.drag = null;
    this.under = null;
    this.stage.canvas.style.cursor = 'crosshair';
    if (back) knobs.forEach((knob, i) => knob.set(values[i]));
    this.owner.turned(knobs);
  }

  leave() {
    if (this.drag) return;
    this.under = null;
    this.pointer = null;
    this.owner.look();
  }
}
