// The first part: points of two classes, and where posteriors put the boundary between them. Figure 1 of the paper,
// alive.

import { Pane, VIEWS } from './pane.js';
import { pointsFromText, pointsToCsv, pointsToText, PRESETS } from './points.js';
import { button, choice, element, saveCsv, slider, switches, words } from './ui.js';

// Figure 1's lattice: the box of its points, and a tenth more.
const BOX = [0.02, -0.93, 0.97, 0];
const MOST_POINTS = 200;
const NEAR = 22; // pixels within which a point is meant
const WAIT = 70; // milliseconds between two new beginnings while something is dragged
const ROOM = { dragged: 0.8, still: 0.3 }; // cores that are left to the picture
const STRIDE = 0.02; // of a point by an arrow key

// How a chain moves. `tuned` finds its steps in a short warm-up; `paper` has those of figure 1, and ends where its runs
// end.
const SAMPLERS = {
  tuned: { text: 'Tuned steps, 500 a draw', warmup: 60, steps: 500, most: 3000 },
  paper: { text: 'As in the paper: 10,000 steps a draw', warmup: 150, steps: 10000, most: 350 },
};

// Posteriors that are worth seeing side by side.
const PAIRS = [
  ['figure1', 'Doubting | confident prior', ['dirclip:1.4,-50;normal:1;1', 'dirclip:0.6,-50;normal:1;1']],
  ['cold', 'Cold posterior | confidence prior', ['categorical;normal:1;0.1', 'confidence:0.1;normal:1;1']],
  ['plain', 'Plain | cold posterior', ['categorical;normal:1;1', 'categorical;normal:1;0.05']],
];

const WORDS = 'Each picture is a Bayesian neural network’s answer to the points: the line is where it gives both '
  + 'classes one half, and the colour is how sure it is. Alpha says what its prior expects of labels: below 1 they are '
  + 'clean and every point is signal, so that the line goes around even the two odd ones; above 1 labels are noisy, and '
  + 'the odd points are ignored. Drag a point across a line, or turn alpha, and watch the posterior change its mind: '
  + 'what you see are chains of Hamiltonian Monte Carlo that run in this page.';
const PAPER = 'Paper: figure 1 and its appendix “Hamiltonian Monte Carlo”. Keys on a picture: N chooses the next point, '
  + 'arrows move it, F flips its class, Delete removes it, A adds one beside it.';

const VIEW_NOTES = {
  predictive: 'Orange: class ✚, green: class ●; the paler, the less sure.',
  aleatoric: 'The darker, the more each single draw doubts: labels look noisy there.',
  epistemic: 'The darker, the more the draws contradict each other: more points would help there.',
};

// The nearest place in the picture.
function inside({ x, y }) {
  return { x: Math.min(BOX[2], Math.max(BOX[0], x)), y: Math.min(BOX[3], Math.max(BOX[1], y)) };
}

class Boundary {
  constructor(app) {
    this.app = app;
    this.going = true;
    this.chosenPoint = -1;
    this.tool = 'move';
    this.seed = 3;
    this.points_ = PRESETS[0][2](app.tables);
    this.preset = PRESETS[0][0];
    this.makeControls();
    this.panes = PAIRS[0][2].map((text, i) => {
      const [density, prior, temperature] = text.split(';');
      return new Pane(app, this, { name: 'AB'[i], line: ['--warm', '--cold'][i], box: BOX,
        start: { density, prior, temperature: Number(temperature) } });
    });
    for (const pane of this.panes) this.listen(pane);
    this.build();
  }

  // ---- what panes ask ----

  points() {
    return this.points_;
  }

  view() {
    return this.views.value;
  }

  chosen() {
    return this.chosenPoint;
  }

  shownPanes() {
    return { two: this.panes, a: this.panes.slice(0, 1), one: this.panes.slice(1) }[this.two.value];
  }

  others(pane) {
    return this.shownPanes().filter((other) => other !== pane);
  }

  changed(pane) {
    this.beginSoon([pane]);
  }

  // ---- controls ----

  makeControls() {
    const again = () => this.beginSoon(this.panes, { anew: true });
    this.views = switches({ label: 'What the colours show', options: VIEWS, value: 'predictive',
      changed: () => this.explainView() });
    this.viewNote = element('p', { class: 'hint' }, VIEW_NOTES.predictive);
    this.two = switches({ label: 'How many posteriors', options: [['two', 'Side by side'], ['a', 'Only A'], ['one', 'Only B']],
      value: 'two', changed: () => this.showPanes() });
    this.width = slider({ label: 'Width of the network', range: { from: 2, to: 32, whole: true, least: 1, most: 64 }, value: 10,
      changed: again });
    this.depth = slider({ label: 'Hidden layers', range: { from: 1, to: 8, whole: true, least: 1, most: 8 }, value: 5,
      changed: again });
    const few = (navigator.hardwareConcurrency || 2) < 6 ? 2 : 3;
    this.count = slider({ label: 'Chains of each', range: { from: 1, to: 6, whole: true, least: 1, most: 8 }, value: few,
      changed: again });
    this.sampler = choice({ label: 'Steps', options: Object.entries(SAMPLERS).map(([key, { text }]) => [key, text]),
      value: 'tuned', changed: again });
    this.tools = switches({ label: 'What a click does', options: [['move', 'Move'], ['add0', 'Add ✚'],
      ['add1', 'Add ●'], ['flip', 'Flip'], ['remove', 'Remove']], value: 'move',
      changed: (tool) => { this.tool = tool; } });
    this.presets = element('div', { class: 'buttons', role: 'group', 'aria-label': 'Sets of points' },
      ...PRESETS.map(([key, text, make]) => button(text, () => this.setPoints(make(this.app.tables), key),
        { 'data-preset': key })),
      button('Clear', () => this.setPoints([], 'own')));
    this.pairs = choice({ label: 'Two posteriors of the same points',
      options: [...PAIRS.map(([key, text]) => [key, text]), ['own', 'your own']], value: 'figure1',
      changed: (key) => this.setPair(key) });
    this.pauseButton = button('Pause', () => this.toggle());
    this.said = element('p', { class: 'note', role: 'status' });
  }

  build() {
    this.pictures = element('div', { class: 'pictures' }, ...this.panes.map((pane) => pane.root));
    const group = (text, ...what) => element('fieldset', {}, element('legend', {}, text), ...what);
    const side = element('div', { class: 'controls' },
      group('Compare', this.pairs.root, this.two.root),
      group('Points', this.presets),
      group('A click on a picture', this.tools.root),
      group('Colours', this.views.root, this.viewNote),
      group('Network', this.width.root, this.depth.root),
      group('Chains', this.count.root, this.sampler.root,
        element('div', { class: 'buttons' }, this.pauseButton,
          button('Start anew', () => {
            this.seed++;
            this.beginSoon(this.panes, { anew: true });
          })),
        element('p', { class: 'hint' }, 'Chains can be stuck in one of several answers, most of all where alpha or T is '
          + 'small: another start may show another.')));
    this.root = element('div', { class: 'part' },
      element('div', {}, words(WORDS, PAPER), this.pictures, this.said), side);
    this.showPanes();
  }

  showPanes() {
    const shown = this.shownPanes();
    for (const pane of this.panes) pane.root.hidden = !shown.includes(pane);
    this.keepUp();
    this.paint();
    this.app.changed();
  }

  explainView() {
    this.viewNote.textContent = VIEW_NOTES[this.views.value];
    this.paint();
    this.app.changed();
  }

  setPair(key) {
    const pair = PAIRS.find(([name]) => name === key);
    if (!pair) return;
    this.panes.forEach((pane, i) => pane.fromText(pair[2][i]));
    this.beginSoon(this.panes);
    this.pairs.set(key);
  }

  setPoints(points, preset) {
    this.points_ = points;
    this.preset = preset;
    this.chosenPoint = -1;
    this.beginSoon(this.panes);
    this.paint();
  }

  toggle() {
    this.going = !this.going;
    this.pauseButton.textContent = this.going ? 'Pause' : 'Go on';
    this.keepUp();
  }

  // Which of the pairs the two posteriors are.
  presentPair() {
    const pair = PAIRS.find(([, , texts]) => texts.every((text, i) => this.panes[i].toText() === text));
    return pair?.[0] ?? 'own';
  }

  // ---- chains ----

  settings() {
    const how = SAMPLERS[this.sampler.value];
    return {
      model: `mlp:${Array(this.depth.value).fill(this.width.value).join(',')}`,
      points: this.points_.map((p) => ({ ...p })),
      chains: this.count.value,
      seed: this.seed,
      most: how.most,
      sampler: (density) => {
        const known = this.app.tables.paper.find((one) => one.density === density);
        const fixed = this.sampler.value === 'paper' && known;
        return { steps: how.steps, warmup: how.warmup, stepSize: fixed ? known.stepSize : 0 };
      },
    };
  }

  // Now, or as soon as the last beginning is old enough: who drags gets the first change at once and the last one
  // surely. `anew`: chains start at random instead of going on from where they are.
  beginSoon(panes, { anew = false } = {}) {
    this.pairs.set(this.presentPair());
    this.due ??= new Map();
    for (const pane of panes) this.due.set(pane, anew || this.due.get(pane) || false);
    this.app.changed();
    if (this.timer) return;
    const wait = Math.max(0, (this.last ?? 0) + WAIT - performance.now());
    this.timer = setTimeout(() => {
      this.timer = null;
      this.last = performance.now();
      this.beginDue();
    }, wait);
  }

  beginDue() {
    const due = [...(this.due ?? [])];
    this.due = null;
    const labels = new Set(this.points_.map((p) => p.label));
    this.said.textContent = labels.size === 2 ? '' : 'A boundary needs points of both classes: add some.';
    const settings = this.settings();
    for (const [pane, anew] of due) {
      pane.chains.going = false;
      if (labels.size === 2) {
        pane.begin(settings, !anew);
        pane.begun = true;
      } else {
        pane.begun = false;
        pane.rest('waiting for points of both classes');
      }
    }
    this.keepUp();
    this.paint();
  }

  // Lets those chains run that are seen. They leave something of a core to the picture, and most of it while something
  // is dragged.
  keepUp() {
    const shown = this.shownPanes();
    const cores = navigator.hardwareConcurrency || 2;
    const room = this.dragged >= 0 ? ROOM.dragged : ROOM.still;
    const share = Math.min(1, (cores - room) / (shown.length * this.count.value));
    for (const pane of this.panes) {
      if (this.visible && this.going && pane.begun && shown.includes(pane)) pane.chains.go(share);
      else pane.chains.pause();
    }
  }

  paint() {
    for (const pane of this.panes) pane.stage.ask();
  }

  // ---- pointer and keys ----

  listen(pane) {
    const { canvas } = pane.stage;
    canvas.tabIndex = 0;
    const at = (event) => {
      const box = canvas.getBoundingClientRect();
      return [event.clientX - box.left, event.clientY - box.top, box.width, box.height];
    };
    canvas.addEventListener('pointerdown', (event) => {
      if (event.button) return;
      const [px, py, width, height] = at(event);
      const hit = this.pointAt(pane, px, py, width, height);
      if (this.tool.startsWith('add') && hit < 0)
        this.addPoint(pane.fromPixels(px, py, width, height), Number(this.tool[3]));
      else if (hit >= 0 && this.tool === 'flip') this.flip(hit);
      else if (hit >= 0 && this.tool === 'remove') this.removePoint(hit);
      else if (hit >= 0) this.chosenPoint = this.dragged = hit;
      else this.chosenPoint = -1;
      if (this.dragged >= 0) {
        canvas.setPointerCapture(event.pointerId);
        this.keepUp();
      }
      this.paint();
    });
    canvas.addEventListener('pointermove', (event) => {
      const [px, py, width, height] = at(event);
      if (!(this.dragged >= 0)) {
        const over = this.pointAt(pane, px, py, width, height) >= 0;
        canvas.style.cursor = this.tool === 'move' && over ? 'grab' : 'default';
        return;
      }
      this.movePoint(this.dragged, pane.fromPixels(px, py, width, height));
    });
    // A finger on a point drags it; anywhere else it scrolls the page.
    canvas.addEventListener('touchstart', (event) => {
      if (this.dragged >= 0) event.preventDefault();
    }, { passive: false });
    const drop = () => {
      if (!(this.dragged >= 0)) return;
      this.dragged = -1;
      this.keepUp();
    };
    canvas.addEventListener('pointerup', drop);
    canvas.addEventListener('pointercancel', drop);
    canvas.addEventListener('keydown', (event) => this.key(event));
  }

  key(event) {
    const steps = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };
    const n = this.points_.length;
    const chosen = this.points_[this.chosenPoint];
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    if (key === 'n' && n) this.chosenPoint = (this.chosenPoint + 1) % n;
    else if (steps[key] && chosen) {
      const [dx, dy] = steps[key];
      this.movePoint(this.chosenPoint, { x: chosen.x + STRIDE * dx, y: chosen.y + STRIDE * dy });
    } else if (key === 'f' && chosen) this.flip(this.chosenPoint);
    else if ((key === 'Delete' || key === 'Backspace') && chosen) this.removePoint(this.chosenPoint);
    else if (key === 'a')
      this.addPoint(chosen ? { x: chosen.x + 2 * STRIDE, y: chosen.y } : { x: 0.5, y: -0.46 }, chosen?.label ?? 0);
    else return;
    event.preventDefault();
    const now = this.points_[this.chosenPoint];
    this.said.textContent = now
      ? `Point ${this.chosenPoint + 1}, class ${'AB'[now.label]}, at ${now.x.toFixed(2)}, ${now.y.toFixed(2)}.` : '';
    this.paint();
  }

  pointAt(pane, px, py, width, height) {
    let best = -1;
    let least = NEAR;
    this.points_.forEach((point, i) => {
      const [x, y] = pane.toPixels(point, width, height);
      const distance = Math.hypot(x - px, y - py);
      if (distance < least) [best, least] = [i, distance];
    });
    return best;
  }

  touched() {
    this.preset = 'own';
    this.beginSoon(this.panes);
    this.paint();
  }

  movePoint(i, to) {
    this.points_[i] = { ...this.points_[i], ...inside(to) };
    this.touched();
  }

  addPoint(at, label) {
    if (this.points_.length >= MOST_POINTS) {
      this.said.textContent = `There are ${MOST_POINTS} points, which is all that the page takes.`;
      return;
    }
    this.points_.push({ ...at, label });
    this.chosenPoint = this.points_.length - 1;
    this.touched();
  }

  flip(i) {
    this.points_[i] = { ...this.points_[i], label: 1 - this.points_[i].label };
    this.touched();
  }

  removePoint(i) {
    this.points_.splice(i, 1);
    this.chosenPoint = Math.min(this.chosenPoint, this.points_.length - 1);
    this.touched();
  }

  // ---- the address ----

  state() {
    return {
      a: this.panes[0].toText(),
      b: this.panes[1].toText(),
      points: this.preset === 'own' ? pointsToText(this.points_) : this.preset,
      view: this.views.value,
      show: this.two.value,
      net: `${this.width.value}x${this.depth.value}`,
      chains: String(this.count.value),
      steps: this.sampler.value,
      seed: String(this.seed),
    };
  }

  restore(state) {
    const whole = (text, least, most, usual) => {
      const value = Math.round(Number(text));
      return value >= least && value <= most ? value : usual;
    };
    if (state.a) this.panes[0].fromText(state.a);
    if (state.b) this.panes[1].fromText(state.b);
    const preset = PRESETS.find(([key]) => key === state.points);
    const own = !preset && state.points ? pointsFromText(state.points) : null;
    if (preset) [this.points_, this.preset] = [preset[2](this.app.tables), preset[0]];
    else if (own) [this.points_, this.preset] = [own.slice(0, MOST_POINTS).map((p) => ({ ...p, ...inside(p) })), 'own'];
    if (VIEWS.some(([key]) => key === state.view)) this.views.set(state.view);
    this.viewNote.textContent = VIEW_NOTES[this.views.value];
    if (['two', 'a', 'one'].includes(state.show)) this.two.set(state.show);
    const [width, depth] = (state.net ?? '').split('x');
    this.width.set(whole(width, 1, 64, this.width.value));
    this.depth.set(whole(depth, 1, 8, this.depth.value));
    this.count.set(whole(state.chains, 1, 8, this.count.value));
    if (SAMPLERS[state.steps]) this.sampler.set(state.steps);
    this.seed = whole(state.seed, 0, 2 ** 31, this.seed);
    this.pairs.set(this.presentPair());
    this.showPanes();
    this.beginSoon(this.panes, { anew: true });
  }

  show() {
    this.visible = true;
    if (!this.panes[0].begun && !this.due) this.beginSoon(this.panes, { anew: true });
    this.keepUp();
  }

  hide() {
    this.visible = false;
    this.keepUp();
  }
}

export const boundary = {
  key: 'boundary',
  title: 'The boundary',
  create(app) {
    const part = new Boundary(app);
    return {
      root: part.root,
      part,
      show: () => part.show(),
      hide: () => part.hide(),
      state: () => part.state(),
      restore: (state) => part.restore(state),
      canvases: () => part.shownPanes().map((pane) => pane.stage.canvas),
      files: () => [['Save CSV', () => saveCsv('kelvin-points.csv', pointsToCsv(part.points()))]],
    };
  },
};
