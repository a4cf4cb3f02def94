// The triangle: a density as a raster, its gradient as arrows, particles and the ways they came.

import { blendColours, colourRaster, rampTable } from './ramp.js';
import { colour, rgb, stage } from './ui.js';

const TRIANGLE_HEIGHT = Math.sqrt(3) / 2;
const TRIANGLE_COLUMNS = 280;
const TRIANGLE_ROWS = 245;
const TRIANGLE_MARGIN = 0.015; // around the triangle, so that no edge shows what is not there
const FIELD_GRID = 25; // arrows along a side, as the published picture
const NEAR_CORNER = 0.06; // where a particle is said to have come

function densityColours() {
  const [paper, ink, gold] = [rgb('--paper'), rgb('--ink'), rgb('--c4')];
  return [paper, blendColours(paper, gold, 0.62), gold, blendColours(gold, ink, 0.72)];
}

export const TRIANGLE_RASTER = { columns: TRIANGLE_COLUMNS, rows: TRIANGLE_ROWS, margin: TRIANGLE_MARGIN };

export class Triangle {
  constructor(kelvin, particles, { drop }) {
    this.kelvin = kelvin;
    this.particles = particles;
    this.drop = drop;
    this.contrast = kelvin.c.explorer_simplex_contrast();
    this.field = [];
    this.values = null;
    this.cross = { x: 0.5, y: TRIANGLE_HEIGHT / 3 };
    this.keyed = false; // the crosshair is shown once keys are used
    this.stage = stage({
      label: 'Triangle of predictions over three classes',
      shape: (width) => (this.layout(width).bottom + 64) / width,
      draw: (context, width) => this.draw(context, width),
    });
    this.canvas = this.stage.canvas;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.listen();
  }

  layout(width) {
    const pad = width < 380 ? 18 : 26;
    const side = width - 2 * pad;
    return { left: pad, side, top: 34, bottom: 34 + side * TRIANGLE_HEIGHT };
  }

  toPixel(x, y) {
    const { left, side, bottom } = this.layout(this.canvas.clientWidth);
    return [left + x * side, bottom - y * side];
  }

  fromPixel(px, py) {
    const { left, side, bottom } = this.layout(this.canvas.clientWidth);
    return { x: (px - left) / side, y: (bottom - py) / side };
  }

  listen() {
    this.canvas.addEventListener('click', (event) => {
      const box = this.canvas.getBoundingClientRect();
      const { x, y } = this.fromPixel(event.clientX - box.left, event.clientY - box.top);
      if (y > -0.03 && y < TRIANGLE_HEIGHT + 0.03 && Math.abs(x - 0.5) < 0.5 - y / (2 * TRIANGLE_HEIGHT) + 0.03) this.drop(x, y);
    });
    this.canvas.addEventListener('keydown', (event) => this.key(event));
    this.canvas.addEventListener('blur', () => {
      this.keyed = false;
      this.stage.ask();
    });
  }

  key(event) {
    const far = event.shiftKey ? 0.1 : 0.02;
    const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
    if (moves[event.key]) {
      const [dx, dy] = moves[event.key];
      const y = Math.min(TRIANGLE_HEIGHT, Math.max(0, this.cross.y + dy));
      const half = 0.5 - y / (2 * TRIANGLE_HEIGHT);
      this.cross = { x: Math.min(0.5 + half, Math.max(0.5 - half, this.cross.x + dx)), y };
    } else if (event.key === 'Enter' || event.key === ' ') this.drop(this.cross.x, this.cross.y);
    else return;
    event.preventDefault();
    this.keyed = true;
    this.stage.ask();
  }

  setField(density) {
    this.field = this.kelvin.with((take) => {
      const out = take.room(FIELD_GRID * FIELD_GRID * 4 * 8);
      const n = this.kelvin.c.explorer_simplex_field(density, out, FIELD_GRID);
      return Array.from(this.kelvin.doubles(out, 4 * n));
    });
    this.stage.ask();
  }

  setRaster(values) {
    this.values = values;
    this.picture = null;
    this.stage.ask();
  }

  // The raster in colours of the day or of the night.
  coloured() {
    const key = colour('--paper');
    if (this.picture?.key !== key) {
      const table = rampTable(densityColours());
      this.picture = { key, table, canvas: colourRaster(this.values, TRIANGLE_COLUMNS, TRIANGLE_ROWS, table, this.contrast) };
    }
    return this.picture;
  }

  draw(context, width) {
    const frame = this.layout(width);
    this.outline(context);
    if (this.values) {
      context.save();
      context.clip();
      const size = frame.side * (1 + 2 * TRIANGLE_MARGIN);
      context.drawImage(this.coloured().canvas, frame.left - frame.side * TRIANGLE_MARGIN,
        frame.top - frame.side * TRIANGLE_MARGIN, size, frame.side * (TRIANGLE_HEIGHT + 2 * TRIANGLE_MARGIN));
      context.restore();
    }
    this.drawField(context, frame.side);
    this.drawParticles(context, frame.side);
    this.outline(context);
    context.strokeStyle = colour('--soft');
    context.lineWidth = 1.25;
    context.stroke();
    this.drawHalf(context);
    this.drawWords(context, width, frame);
    if (this.keyed) this.drawCross(context);
  }

  outline(context) {
    context.beginPath();
    context.moveTo(...this.toPixel(0.5, TRIANGLE_HEIGHT));
    context.lineTo(...this.toPixel(0, 0));
    context.lineTo(...this.toPixel(1, 0));
    context.closePath();
  }

  drawField(context, side) {
    context.strokeStyle = colour('--ink');
    context.fillStyle = colour('--ink');
    context.globalAlpha = 0.5;
    context.lineWidth = 1;
    const longest = 0.9 / (FIELD_GRID - 1);
    for (let i = 0; i < this.field.length; i += 4) {
      const [x, y, dx, dy] = this.field.slice(i, i + 4);
      const size = Math.hypot(dx, dy);
      // half as long at a quarter of the strength: weak ones can still be read
      const length = longest * Math.min(1, Math.sqrt(size / 0.5));
      if (length * side < 1.5) continue;
      this.drawArrow(context, [x, y], [(dx / size) * length, (dy / size) * length], side);
    }
    context.globalAlpha = 1;
  }

  drawArrow(context, [x, y], [dx, dy], side) {
    const [fromX, fromY] = this.toPixel(x - dx / 2, y - dy / 2);
    const [toX, toY] = this.toPixel(x + dx / 2, y + dy / 2);
    const angle = Math.atan2(toY - fromY, toX - fromX);
    const head = Math.min(4.5, 0.35 * Math.hypot(dx, dy) * side + 1.2);
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.lineTo(toX - head * Math.cos(angle), toY - head * Math.sin(angle));
    context.stroke();
    context.beginPath();
    context.moveTo(toX, toY);
    for (const turn of [0.42, -0.42])
      context.lineTo(toX - head * 1.3 * Math.cos(angle + turn), toY - head * 1.3 * Math.sin(angle + turn));
    context.fill();
  }

  // Of a particle on its way nothing is said, unless it is all but there.
  outcome({ place: [x, y], wrong, ended }) {
    const corner = wrong ? Math.min(Math.hypot(x, y), Math.hypot(x - 1, y)) : Math.hypot(x - 0.5, y - TRIANGLE_HEIGHT);
    if (!ended && corner > NEAR_CORNER) return 'climbing';
    return wrong ? 'wrong' : 'right';
  }

  drawParticles(context) {
    const colours = { climbing: colour('--ink'), right: colour('--c0'), wrong: colour('--c1') };
    const all = [...this.particles.each()].map((one) => ({ ...one, at: [...one.place], outcome: this.outcome(one) }));
    context.lineWidth = 1.6;
    context.lineJoin = 'round';
    for (const { trail, outcome, at } of all) {
      context.strokeStyle = colours[outcome];
      context.globalAlpha = outcome === 'climbing' ? 0.55 : 0.8;
      context.beginPath();
      for (let i = 0; i < trail.length; i += 2) context.lineTo(...this.toPixel(trail[i], trail[i + 1]));
      context.lineTo(...this.toPixel(...at));
      context.stroke();
    }
    context.globalAlpha = 1;
    context.strokeStyle = colour('--paper');
    context.lineWidth = 1;
    for (const { at, outcome } of all) {
      const [x, y] = this.toPixel(...at);
      context.fillStyle = colours[outcome];
      context.beginPath();
      if (outcome === 'wrong') context.rect(x - 3, y - 3, 6, 6); // for those who do not see its colour
      else context.arc(x, y, 3.2, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  }

  // Above this line the true class has more than one half.
  drawHalf(context) {
    context.strokeStyle = colour('--soft');
    context.setLineDash([4, 4]);
    context.beginPath();
    context.moveTo(...this.toPixel(0.25, TRIANGLE_HEIGHT / 2));
    context.lineTo(...this.toPixel(0.75, TRIANGLE_HEIGHT / 2));
    context.stroke();
    context.setLineDash([]);
    const [x, y] = this.toPixel(0.76, TRIANGLE_HEIGHT / 2);
    context.fillStyle = colour('--soft');
    context.font = '12px system-ui, sans-serif';
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.fillText('p = ½', x + 4, y);
  }

  drawWords(context, width, { left, side, bottom }) {
    context.font = '600 13px system-ui, sans-serif';
    context.fillStyle = colour('--ink');
    context.textBaseline = 'bottom';
    context.textAlign = 'center';
    context.fillText('the true class', width / 2, this.toPixel(0.5, TRIANGLE_HEIGHT)[1] - 9);
    context.textBaseline = 'top';
    context.textAlign = 'left';
    context.fillText('a wrong class', left - 8, bottom + 9);
    context.textAlign = 'right';
    context.fillText('a wrong class', left + side + 8, bottom + 9);
    if (this.values) this.drawLegend(context, width, bottom + 38);
  }

  drawLegend(context, width, top) {
    const { table } = this.coloured();
    const long = Math.min(180, width * 0.4);
    const from = width / 2 - long / 2;
    for (let i = 0; i < long; i++) {
      const at = 3 * Math.round((255 * i) / (long - 1));
      context.fillStyle = `rgb(${table[at]} ${table[at + 1]} ${table[at + 2]})`;
      context.fillRect(from + i, top, 1.5, 9);
    }
    context.strokeStyle = colour('--rule');
    context.lineWidth = 1;
    context.strokeRect(from, top, long, 9);
    context.font = '12px system-ui, sans-serif';
    context.fillStyle = colour('--soft');
    context.textBaseline = 'middle';
    context.textAlign = 'right';
    const times = Math.round(Math.exp(this.contrast));
    context.fillText(`1/${times} of the mean`, from - 6, top + 5);
    context.textAlign = 'left';
    context.fillText(`${times} times the mean`, from + long + 6, top + 5);
  }

  drawCross(context) {
    const [x, y] = this.toPixel(this.cross.x, this.cross.y);
    context.strokeStyle = colour('--c0');
    context.lineWidth = 2;
    context.beginPath();
    for (const [dx, dy] of [[9, 0], [0, 9]]) {
      context.moveTo(x - dx, y - dy);
      context.lineTo(x + dx, y + dy);
    }
    context.stroke();
  }
}
