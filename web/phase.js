// The phase diagram: where a gradient step on the Dirichlet posterior raises the true class, and where it lowers it.

import { axes } from './plot.js';
import { colourRaster, rampTable } from './ramp.js';
import { colour, element, numberList, rgb, shorten, slider, stage } from './ui.js';

const PHASE_COARSE = { columns: 48, rows: 36 };
const PHASE_FINE = { columns: 160, rows: 120 };
const PHASE_POINTS = 90; // of the curve
const PHASE_MOST = 1.1; // where colours are saturated, as in the published picture
const PHASE_FRAME = { left: 50, right: 12, top: 12, bottom: 42 };

export class Phase {
  constructor(app, { alphaChosen, changed }) {
    this.app = app;
    this.alphaChosen = alphaChosen;
    this.changed = changed;
    this.classes = 10;
    this.alpha = null; // of the density that is shown, if it has one
    this.cursor = { wrong: 0.9, alpha: 0.5 };
    this.curve = [];
    this.build();
  }

  build() {
    this.most = this.app.kelvin.c.explorer_phase_most_classes();
    this.stage = stage({
      label: 'Phase diagram', shape: 0.78, draw: (context, width, height) => this.draw(context, width, height),
    });
    this.canvas = this.stage.canvas;
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'application');
    this.slider = slider({
      label: 'number of classes K', range: { from: 2, to: this.most, ratio: true, whole: true }, value: this.classes,
      changed: (value) => this.setClasses(value, true),
    });
    // Between small numbers one stop of the slider is no whole class: keys go by classes.
    this.slider.root.querySelector('input[type=range]').addEventListener('keydown', (event) => {
      const by = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1 }[event.key];
      if (!by) return;
      event.preventDefault();
      this.setClasses(this.classes + by, true);
    });
    this.numbers = numberList();
    this.said = element('p', { class: 'note', role: 'status' });
    this.root = element('figure', {}, this.canvas, element('figcaption', {}, 'Does one gradient step on the Dirichlet '
      + 'posterior raise the true class? One wrong class has the probability on the axis below, all others share the '
      + 'rest. Point at a place to read it; click, or use arrow keys and Enter, to take its alpha.'),
    this.numbers.root, this.said);
    this.listen();
  }

  setClasses(asked, byHand = false) {
    const classes = Math.min(this.most, Math.max(2, Math.round(asked) || 2));
    this.classes = classes;
    this.slider.set(classes);
    this.outside = byHand && classes !== asked ? `K goes from 2 to ${this.most}. ` : '';
    this.critical = this.app.kelvin.c.explorer_phase_critical(classes);
    this.say();
    this.stage.ask();
    if (this.shown) this.compute();
    if (byHand) this.changed();
  }

  setAlpha(alpha) {
    this.alpha = alpha;
    if (alpha !== null && !this.pointed) this.cursor.alpha = Math.min(1, Math.max(0, alpha));
    this.say();
    this.stage.ask();
  }

  show() {
    this.shown = true;
    if (this.computed !== this.classes) this.compute();
  }

  hide() {
    this.shown = false;
  }

  // The curve first, then the raster, coarse and fine; what was asked for other classes is let go.
  async compute() {
    const classes = this.classes;
    const late = (answer) => answer === null || classes !== this.classes;
    const curve = await this.app.ask('phaseBoundary', { classes, most: PHASE_POINTS }, { only: true });
    if (late(curve)) return;
    this.curve = [];
    for (let i = 0; i < curve.length; i += 2) this.curve.push([curve[i], curve[i + 1]]);
    this.say();
    this.stage.ask();
    for (const size of [PHASE_COARSE, PHASE_FINE]) {
      const values = await this.app.ask('phaseRaster', { classes, ...size }, { only: true });
      if (late(values)) return;
      this.values = { ...size, values };
      this.picture = null;
      this.stage.ask();
    }
    this.computed = classes;
  }

  say() {
    const { wrong, alpha } = this.cursor;
    const change = this.app.kelvin.c.explorer_phase_change(this.classes, alpha, Math.max(1e-9, 1 - wrong));
    this.numbers.set('p of the wrong class', wrong.toFixed(3));
    this.numbers.set('alpha', alpha.toFixed(3));
    this.numbers.set('a step changes log p of the true class by',
      `${change < 0 ? '−' : '+'}${shorten(Math.abs(change))} × its length: it ${change < 0 ? 'lowers' : 'raises'} it`);
    const from = this.curve.length ? ` Where alpha is 0, steps mislead from p = ${this.curve[0][0].toFixed(4)} on.` : '';
    this.said.textContent = this.outside + (this.critical > 0
      ? `Critical alpha of ${this.classes} classes, (K − 2) / K: ${shorten(this.critical)}. Below it there are `
        + `predictions from which gradients lead away from the truth.${from}`
      : 'With two classes the critical alpha is 0: a step raises the true class whatever the prediction.');
    this.canvas.setAttribute('aria-label', `Phase diagram of ${this.classes} classes. At ${wrong.toFixed(2)} for the wrong `
      + `class and alpha ${alpha.toFixed(2)} a step ${change < 0 ? 'lowers' : 'raises'} the true class.`);
  }

  frame(width, height) {
    const { left, right, top, bottom } = PHASE_FRAME;
    return { left, top, wide: width - left - right, high: height - top - bottom };
  }

  point(event) {
    const box = this.canvas.getBoundingClientRect();
    const { left, top, wide, high } = this.frame(box.width, box.height);
    const bound = (v) => Math.min(1, Math.max(0, v));
    this.cursor = {
      wrong: bound((event.clientX - box.left - left) / wide), alpha: bound(1 - (event.clientY - box.top - top) / high),
    };
    this.pointed = true;
    this.say();
    this.stage.ask();
  }

  listen() {
    this.canvas.addEventListener('pointermove', (event) => this.point(event));
    this.canvas.addEventListener('click', (event) => {
      this.point(event);
      this.take();
    });
    this.canvas.addEventListener('keydown', (event) => {
      const far = event.shiftKey ? 0.1 : 0.01;
      const moves = { ArrowLeft: [-far, 0], ArrowRight: [far, 0], ArrowUp: [0, far], ArrowDown: [0, -far] };
      if (event.key === 'Enter' || event.key === ' ') this.take();
      else if (moves[event.key]) this.move(...moves[event.key]);
      else return;
      event.preventDefault();
    });
  }

  move(dx, dy) {
    const bound = (v) => Math.min(1, Math.max(0, Number(v.toFixed(6))));
    this.cursor = { wrong: bound(this.cursor.wrong + dx), alpha: bound(this.cursor.alpha + dy) };
    this.pointed = true;
    this.say();
    this.stage.ask();
  }

  take() {
    if (this.alpha !== null) this.alphaChosen(Number(this.cursor.alpha.toFixed(3)));
  }

  coloured() {
    const key = colour('--paper');
    if (this.picture?.key !== key) {
      const { values, columns, rows } = this.values;
      const table = rampTable([rgb('--c1'), rgb('--paper'), rgb('--c0')]);
      this.picture = { key, canvas: colourRaster(values, columns, rows, table, PHASE_MOST) };
    }
    return this.picture.canvas;
  }

  draw(context, width, height) {
    const { left, top, wide, high } = this.frame(width, height);
    if (this.values) context.drawImage(this.coloured(), left, top, wide, high);
    context.globalAlpha = 0.85;
    const plot = axes(context, width, height, {
      x: { from: 0, to: 1, label: 'probability of the wrong class', ticks: [0, 0.2, 0.4, 0.6, 0.8, 1].map((v) => [v, v]) },
      y: { from: 0, to: 1, label: 'alpha', ticks: [0, 0.2, 0.4, 0.6, 0.8, 1].map((v) => [v, v]) }, ...PHASE_FRAME,
    });
    context.globalAlpha = 1;
    const ink = colour('--ink');
    plot.line(this.curve, { stroke: ink, width: 2 });
    plot.line([[0, this.critical], [1, this.critical]], { stroke: ink, width: 1.25, dash: [2, 4] });
    this.label(context, plot, `critical ${shorten(this.critical)}`, 0.015, this.critical, ink);
    if (this.alpha !== null && this.alpha >= 0 && this.alpha <= 1) {
      plot.line([[0, this.alpha], [1, this.alpha]], { stroke: colour('--c3'), width: 2.5 });
      const near = Math.abs(this.alpha - this.critical) < 0.06;
      this.label(context, plot, `your alpha ${shorten(this.alpha)}`, near ? 0.3 : 0.015, this.alpha, ink);
    }
    this.drawSigns(context, plot);
    const [x, y] = [plot.x(this.cursor.wrong), plot.y(this.cursor.alpha)];
    context.strokeStyle = ink;
    context.lineWidth = 1.5;
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.stroke();
  }

  // On paper of its own, since what is below has any colour.
  label(context, plot, text, x, y, ink) {
    context.font = '12px system-ui, sans-serif';
    const [at, wide] = [plot.x(x), context.measureText(text).width];
    const line = y > 0.92 ? plot.y(y) + 11 : plot.y(y) - 10;
    context.fillStyle = colour('--paper');
    context.globalAlpha = 0.75;
    context.fillRect(at, line - 8, wide + 8, 16);
    context.globalAlpha = 1;
    context.fillStyle = ink;
    context.textAlign = 'left';
    context.textBaseline = 'middle';
    context.fillText(text, at + 4, line);
  }

  drawSigns(context, plot) {
    context.font = '600 14px system-ui, sans-serif';
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    context.fillStyle = colour('--paper');
    if (this.critical > 0.5) context.fillText('lowers it', plot.x(0.82), plot.y(Math.max(0.12, this.critical - 0.5)));
    context.fillStyle = colour('--ink');
    context.fillText('raises the true class', plot.x(0.3), plot.y(Math.min(0.93, this.critical + 0.1)));
  }
}
