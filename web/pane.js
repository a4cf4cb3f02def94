// One posterior of the first part: its map, the points on it, its numbers and its controls.

import { Chains } from './chains.js';
import { carryOver, sliderOf, spell, unspell, usual } from './tables.js';
import { choice, colour, element, numberList, rgb, shorten, slider, stage } from './ui.js';

export const SIDE = 96;
const MOST_CURVE = 20000; // points of a boundary
const POINT = 9; // half the width of a point, in pixels

// What can be shown: a key, what the choice says, and what a map is made from.
export const VIEWS = [
  ['predictive', 'Prediction'],
  ['aleatoric', 'Noise (aleatoric)'],
  ['epistemic', 'Ignorance (epistemic)'],
];

function entropyOf(p) {
  return p > 0 && p < 1 ? -p * Math.log(p) - (1 - p) * Math.log(1 - p) : 0;
}

// The member of a table, its sliders and its formula.
function memberControls({ label, members, text, changed }) {
  const sliders = element('div', { class: 'field' });
  const formula = element('p', { class: 'formula' });
  const memory = new Map();
  const self = {
    member: null,
    values: [],
    text: () => spell(self.member, self.values),
    // What is not in the table leaves all as it is.
    set(spelled) {
      const found = unspell(members, spelled)
        ?? (self.member ? self : { member: members[0], values: members[0].parameters.map(usual) });
      self.member = found.member;
      self.values = found.values;
      select.set(found.member.name);
      formula.textContent = found.member.about;
      sliders.replaceChildren(...found.member.parameters.map((parameter, j) => slider({
        label: parameter.name,
        range: sliderOf(parameter),
        value: found.values[j],
        changed: (value) => {
          self.values[j] = value;
          changed();
        },
      }).root));
    },
  };
  const select = choice({
    label,
    options: members.map((member) => [member.name, member.usage]),
    value: members[0].name,
    changed: (name) => {
      self.set(carryOver(memory, self, members.find((member) => member.name === name)));
      changed();
    },
  });
  self.root = element('div', { class: 'field' }, select.root, formula, sliders);
  self.set(text);
  return self;
}

export class Pane {
  // `owner`: { points(), view(), others(pane), changed(pane) }
  constructor(app, owner, { name, line, box, start }) {
    Object.assign(this, { app, owner, name, line, box });
    this.chains = new Chains(app, { side: SIDE, box, heard: () => this.hear() });
    this.stage = stage({
      label: `Map of what posterior ${name} predicts`,
      shape: (box[3] - box[1]) / (box[2] - box[0]),
      draw: (context, width, height) => this.draw(context, width, height),
    });
    this.title = element('h3');
    this.state = element('span', { class: 'note' });
    this.sentence = element('p', { class: 'sentence', role: 'alert' });
    this.numbers = numberList();
    const changed = () => {
      this.entitle();
      owner.changed(this);
    };
    this.density = memberControls({ label: 'Density of predictions', members: app.tables.densities, text: start.density,
      changed });
    this.prior = memberControls({ label: 'Prior of weights', members: app.tables.priors.filter((p) => p.isProper),
      text: start.prior, changed });
    this.temperature = slider({ label: 'Temperature T', range: { from: 0.01, to: 2, ratio: true,
      hint: 'below 1 the posterior is cooled, which no likelihood explains' },
      value: start.temperature, changed });
    const controls = element('div', { class: 'controls pane-controls', role: 'group', 'aria-label': `Posterior ${name}` },
      this.density.root, element('div', { class: 'field' }, this.temperature.root, this.prior.root));
    this.root = element('figure', { 'data-pane': name },
      element('div', { class: 'pane-head' }, this.title, this.state), this.stage.canvas, this.sentence,
      this.numbers.root, controls);
    this.entitle();
  }

  entitle() {
    const cold = this.temperature.value === 1 ? '' : `, T = ${shorten(this.temperature.value)}`;
    this.title.textContent = `${this.density.text()}${cold}`;
    this.title.style.color = colour(this.line);
  }

  // "dirclip:0.6,-50;normal:1;1"
  toText() {
    return [this.density.text(), this.prior.text(), this.temperature.value].join(';');
  }

  fromText(text) {
    const [density, prior, temperature] = text.split(';');
    this.density.set(density ?? '');
    this.prior.set(prior ?? 'normal:1');
    this.temperature.set(Number(temperature) > 0 ? Number(temperature) : 1);
    this.entitle();
  }

  begin(how, stay) {
    this.curve = null;
    this.chains.begin({
      posterior: {
        model: how.model,
        density: this.density.text(),
        prior: this.prior.text(),
        temperature: this.temperature.value,
        seed: how.seed,
        ...how.sampler(this.density.text()),
      },
      points: how.points,
      chains: how.chains,
      most: how.most,
      stay,
    });
  }

  hear() {
    this.curve = null;
    this.stage.ask();
    for (const other of this.owner.others(this)) other.stage.ask();
    this.tellNumbers();
  }

  tellNumbers() {
    const { chains } = this;
    this.sentence.textContent = chains.error ?? '';
    if (chains.error || !chains.present().length) return;
    const settled = chains.settled();
    const draws = chains.total('draws');
    const iteration = Math.min(...chains.news.map((one) => one?.iteration ?? 0));
    const percent = (share) => `${(100 * share).toFixed(share === 1 ? 0 : 1)} %`;
    const rhat = settled ? chains.functionRhat() : NaN;
    const warm = chains.present()[0].warmup;
    this.state.textContent = settled ? (chains.resting() ? 'finished' : 'sampling') : `warm-up, ${iteration} of ${warm}`;
    this.numbers.set('draws', draws.toLocaleString('en'));
    this.numbers.set('accepted', percent(chains.mean('acceptance')));
    this.numbers.set('R-hat (1: chains agree)', Number.isFinite(rhat) ? rhat.toFixed(2) : '–');
    this.numbers.set('points on their side', settled ? `${this.countRight()} of ${this.owner.points().length}` : '–');
    this.numbers.set('right by single draws', percent(chains.mean('accuracy')));
    this.numbers.set('step', shorten(chains.mean('stepSize')));
    this.numbers.set('leapfrog steps a second', Math.round(chains.speed()).toLocaleString('en'));
    const label = `Posterior ${this.name}, ${this.title.textContent}: ${percent(chains.mean('accuracy'))} of the training `
      + `points right, ${settled ? `${draws} draws` : 'warming up'}. ${this.owner.points().length} points.`;
    if (this.stage.canvas.getAttribute('aria-label') !== label) this.stage.canvas.setAttribute('aria-label', label);
  }

  // Points whose class all draws together give more than one half.
  countRight() {
    const p = this.chains.meanPredictions();
    return this.owner.points().filter((point, i) => (point.label === 0 ? p[i] > 0.5 : p[i] < 0.5)).length;
  }

  // Nothing to sample: nothing to show.
  rest(why) {
    this.chains.forget();
    this.curve = this.maps = null;
    this.state.textContent = why;
    this.sentence.textContent = '';
    this.numbers.clear();
    this.stage.canvas.setAttribute('aria-label', `Posterior ${this.name}: ${why}. ${this.owner.points().length} points.`);
    this.stage.ask();
  }

  // The boundary as lists of (column, row) on the lattice; traced by C once for each new map.
  boundaryCurve() {
    if (this.curve) return this.curve;
    const maps = this.chains.news?.length ? this.chains.maps() : null;
    if (!maps) return [];
    const { kelvin } = this.app;
    this.maps = maps;
    this.curve = kelvin.with((take) => {
      const room = take.room(MOST_CURVE * 24);
      const n = kelvin.c.explorer_contour(room, MOST_CURVE, take.doubles(maps.p), SIDE, 0.5);
      const found = kelvin.doubles(room, 3 * n);
      const curves = [];
      for (let i = 0; i < n; i++) {
        if (found[3 * i + 2]) curves.push([]);
        curves.at(-1).push([found[3 * i], found[3 * i + 1]]);
      }
      return curves;
    });
    return this.curve;
  }

  // ---- the picture ----

  toPixels(point, width, height) {
    const [left, low, right, high] = this.box;
    return [((point.x - left) / (right - left)) * width, ((high - point.y) / (high - low)) * height];
  }

  fromPixels(px, py, width, height) {
    const [left, low, right, high] = this.box;
    return { x: left + (px / width) * (right - left), y: high - (py / height) * (high - low) };
  }

  draw(context, width, height) {
    const mine = this.boundaryCurve();
    this.drawMap(context, width, height);
    for (const other of this.owner.others(this))
      this.drawCurve(context, width, height, other.boundaryCurve(), colour(other.line), 1.5, [5, 5]);
    this.drawCurve(context, width, height, mine, colour(this.line), 3.5, []);
    this.drawPoints(context, width, height);
  }

  drawMap(context, width, height) {
    if (!this.curve || !this.maps) return;
    this.sheet ??= new OffscreenCanvas(SIDE, SIDE);
    const image = new ImageData(SIDE, SIDE);
    const { p, aleatoric } = this.maps;
    const view = this.owner.view();
    const [paper, a, b, doubt] = ['--paper', '--a', '--b', '--c6'].map(rgb);
    for (let row = 0; row < SIDE; row++)
      for (let column = 0; column < SIDE; column++) {
        const from = row * SIDE + column;
        const to = 4 * ((SIDE - 1 - row) * SIDE + column); // the first row of a lattice is the lowest
        let share;
        let ink;
        if (view === 'predictive') {
          ink = p[from] > 0.5 ? a : b;
          share = 0.62 * Math.abs(2 * p[from] - 1);
        } else {
          const nats = view === 'aleatoric' ? aleatoric[from] : entropyOf(p[from]) - aleatoric[from];
          ink = doubt;
          share = Math.min(1, Math.max(0, nats / Math.LN2));
        }
        for (let i = 0; i < 3; i++) image.data[to + i] = paper[i] + share * (ink[i] - paper[i]);
        image.data[to + 3] = 255;
      }
    this.sheet.getContext('2d').putImageData(image, 0, 0);
    context.imageSmoothingEnabled = true;
    context.imageSmoothingQuality = 'high';
    // Lattice points are at the middles of its pixels: half a pixel on each side lies outside of the box.
    const half = [width / (SIDE - 1) / 2, height / (SIDE - 1) / 2];
    context.drawImage(this.sheet, -half[0], -half[1], width + 2 * half[0], height + 2 * half[1]);
  }

  drawCurve(context, width, height, curves, stroke, thick, dash) {
    context.strokeStyle = stroke;
    context.lineWidth = thick;
    context.lineJoin = context.lineCap = 'round';
    context.setLineDash(dash);
    context.beginPath();
    for (const curve of curves)
      curve.forEach(([column, row], i) => {
        const at = [(column / (SIDE - 1)) * width, height - (row / (SIDE - 1)) * height];
        if (i) context.lineTo(...at);
        else context.moveTo(...at);
      });
    context.stroke();
    context.setLineDash([]);
  }

  drawPoints(context, width, height) {
    const size = Math.min(POINT, 4 + width / 90);
    const chosen = this.owner.chosen();
    context.lineWidth = 1.5;
    this.owner.points().forEach((point, i) => {
      const [x, y] = this.toPixels(point, width, height);
      context.beginPath();
      if (point.label === 0) drawCross(context, x, y, size);
      else context.arc(x, y, 0.85 * size, 0, 2 * Math.PI);
      context.fillStyle = colour(point.label === 0 ? '--a' : '--b');
      context.fill();
      context.strokeStyle = colour('--ink');
      context.stroke();
      if (i === chosen) {
        context.beginPath();
        context.arc(x, y, size + 5, 0, 2 * Math.PI);
        context.strokeStyle = colour('--c0');
        context.lineWidth = 2.5;
        context.stroke();
        context.lineWidth = 1.5;
      }
    });
  }
}

function drawCross(context, x, y, size) {
  const thin = size / 3;
  const outline = [[-thin, -size], [thin, -size], [thin, -thin], [size, -thin], [size, thin], [thin, thin], [thin, size],
    [-thin, size], [-thin, thin], [-size, thin], [-size, -thin], [-thin, -thin]];
  outline.forEach(([dx, dy], i) => (i ? context.lineTo(x + dx, y + dy) : context.moveTo(x + dx, y + dy)));
  context.closePath();
}
