// The slices: prior, likelihood and posterior of one prediction for two classes, over the probability p of the true
// class.

import { SliceList, readSliceAxis, sliceNumber, sliceStyle, slicesToCsv, SLICE_POINTS } from './slice_curves.js';
import { SlicePanel, sliceSwatch } from './slice_panel.js';
import { formatNumber, sliderOf, spell, unspell, usual } from './tables.js';
import { button, element, freshId, saveCsv, slider, switches, words } from './ui.js';

const SLICE_WORDS = 'A prediction for two classes is one number, the probability p of the true class, and each curve '
  + 'tells how much a prior, a likelihood, or both together favour each p; the axis is stretched towards both ends, '
  + 'down to one in ten billion. '
  + 'A prior that wants confident predictions rises towards both ends alike, since it does not know which class is '
  + 'true: being surely wrong pleases it as much as being surely right, and only the likelihood tells the two apart. '
  + 'Make alpha or T smaller and look at the posterior: a dot on its left side is a maximum where a sampler can get '
  + 'stuck with the wrong class, and that of a Dirichlet prior goes on rising without end, where no sampler '
  + 'can follow.';
const SLICE_PAPER = 'Paper: figure “Slices of various prior, likelihood, and posterior distributions”, and sections 5 '
  + '(Dirichlet prior), 6 (Noisy Dirichlet Gaussian), 7 (Clipped Dirichlet prior) and 8 (Confidence prior).';

// The numbers of the paper's figure: key in the address, enum slice_number in C, which curves have it, its slider.
const SLICE_NUMBERS = [
  ['a', 1, 'alpha', 'alpha: Dirichlet, DirClip, NDG', { from: 1e-12, to: 10, ratio: true }],
  ['c', 2, 'clip', 'clip: DirClip', { from: -24, to: -1 }],
  ['p', 3, 'T', 'T: confidence, posteriors', { from: 1e-9, to: 1, ratio: true }],
  ['l', 4, 'T', 'T: cold likelihood', { from: 1e-3, to: 1, ratio: true }],
].map(([key, number, name, about, range]) => ({ key, number, name, about, range }));
const SLICE_COLD = 4; // the temperature of the cold likelihood among them
const SLICE_COLD_RANGE = { from: 1e-7, to: 1, ratio: true };

const SLICE_CAPTIONS = {
  paper: [
    'Priors do not know the true class: they are symmetric. Each is moved up or down as in the paper, to be compared.',
    'Likelihoods know the true class. None is moved.',
    'Prior plus likelihood. NDG and Dirichlet are moved as in the paper, the others not.',
  ],
  all: [
    'Densities that do not see the label, alone. Each is moved so that its largest value on the axis is 0.',
    'Densities that see the label, largest values at 0. Those of logits are taken at the logits (log p/(1−p), 0).',
    'The same densities, with the likelihood where they do not see the label. Largest values are at 0.',
  ],
};

// How far down each panel goes: as in the library's picture of the paper's figure; a likelihood down to its lowest
// value, but no steep one may press the others flat.
function sliceRange(view, panel, curves) {
  if (panel === 0) return view === 'paper' ? [-20, 10] : [-30, 2];
  if (panel === 2) return [-55, 3];
  const lowest = Math.max(-1000, Math.min(-1, ...curves.map((curve) => curve.lowest)));
  return [1.05 * lowest, -0.05 * lowest];
}

// The slider of a density's parameter here: what must be positive goes by ratios, down to where tails are still on the
// axis; a clip below log p = -24 would not be seen on it.
function sliceRangeOf(parameter) {
  const range = { ...sliderOf(parameter), hint: '' };
  if (parameter.name === 'clip') return { ...range, from: Math.max(range.from, -24) };
  if (parameter.least >= 0 && !range.whole) return { ...range, from: Math.max(parameter.least, 1e-9), ratio: true };
  return range;
}

// What can be turned, by a slider and by a curve: { name, range, value, set(value), root }. set() is silent.
function sliceKnob(name, label, range, value, changed) {
  const made = slider({ label, range, value, changed });
  return { name, range, root: made.root, set: (to) => made.set(to), get value() { return made.value; } };
}

// A density (or the cold likelihood) of the second view: a check box, its formula, its sliders and its curves.
class SliceRow {
  constructor(part, { label, style, formula, knobs, fill }) {
    Object.assign(this, { label, style, knobs, fill, first: knobs.map((knob) => knob.value) });
    this.list = new SliceList(part.kelvin);
    const id = freshId();
    const checked = () => {
      this.follow();
      part.changed(this);
    };
    this.box = element('input', { type: 'checkbox', id, checked: true, onchange: checked });
    this.more = element('div', { class: 'slice-more' },
      element('p', { class: 'formula' }, formula), ...knobs.map((knob) => knob.root));
    const named = element('label', { for: id }, sliceSwatch(style), label);
    this.root = element('fieldset', { 'aria-label': label },
      element('div', { class: 'slice-choice' }, this.box, named), this.more);
  }

  get shown() {
    return this.box.checked;
  }

  follow() {
    this.more.hidden = !this.shown;
  }

  make() {
    this.list.make((c, list) => this.fill(c, list));
  }

  // "_" before what is not shown: one of the few characters that an address leaves alone, as "*" is.
  text() {
    return `${this.shown ? '' : '_'}${this.spelled()}`;
  }

  set(shown, values) {
    this.box.checked = shown;
    this.follow();
    this.knobs.forEach((knob, j) => knob.set(values[j]));
  }

  curves() {
    if (!this.shown) return [];
    return this.list.curves.map((curve) => {
      const label = curve.likelihood ? `${this.label} + likelihood` : this.label;
      const told = [label, ...this.knobs.map((knob) => `${knob.name} = ${sliceNumber(knob.value)}`)].join(', ');
      return { ...curve, key: `${this.label}/${curve.panel}`, label, told, style: this.style, knobs: this.knobs };
    });
  }
}

class SlicePart {
  constructor(app) {
    this.app = app;
    this.kelvin = app.kelvin;
    this.axis = readSliceAxis(app.kelvin);
    this.cursor = (SLICE_POINTS - 1) / 2;
    this.view = 'paper';
    this.stale = new Set();
    this.waiting = false;
    const { c } = app.kelvin;
    this.paper = new SliceList(app.kelvin);
    this.knobs = SLICE_NUMBERS.map(({ number, name, about, range }) => sliceKnob(name, about, range,
      c.explorer_slices_paper_number(number), () => this.changed(this.paper)));
    this.rows = [...app.tables.densities.map((member) => this.densityRow(member)), this.coldRow()];
    this.cold = this.rows[this.rows.length - 1];
    this.panels = [];
    for (let i = 0; c.explorer_slices_panel(i); i++)
      this.panels.push(new SlicePanel(this, i, app.kelvin.text(c.explorer_slices_panel(i))));
    this.build();
    this.remakeAll();
  }

  // ---- what can be turned ----

  // Parameters begin as in the paper's figure, where it has one of this name.
  firstValue(parameter) {
    const found = SLICE_NUMBERS.find(({ name }) => name === parameter.name);
    return found ? this.kelvin.c.explorer_slices_paper_number(found.number) : usual(parameter);
  }

  densityRow(member) {
    const knobs = member.parameters.map((parameter) => sliceKnob(parameter.name, parameter.name,
      sliceRangeOf(parameter), this.firstValue(parameter), () => this.changed(row)));
    const row = new SliceRow(this, {
      label: member.name,
      style: sliceStyle(member.index, false),
      formula: member.about,
      knobs,
      fill: (c, list) => this.kelvin.with((take) => c.explorer_slices_density(list, take.text(row.spelled()))),
    });
    row.spelled = () => spell(member, knobs.map((knob) => knob.value));
    row.member = member;
    return row;
  }

  coldRow() {
    const T = this.kelvin.c.explorer_slices_paper_number(SLICE_COLD);
    const knob = sliceKnob('T', 'T', SLICE_COLD_RANGE, T, () => this.changed(row));
    const row = new SliceRow(this, {
      label: 'cold likelihood',
      style: sliceStyle(0, true),
      formula: 'l_y / T',
      knobs: [knob],
      fill: (c, list) => c.explorer_slices_cold(list, knob.value),
    });
    row.spelled = () => formatNumber(knob.value);
    return row;
  }

  // ---- the page ----

  build() {
    this.choice = switches({
      label: 'Which curves',
      options: [['paper', 'The paper’s figure'], ['all', 'Every density']],
      value: this.view,
      changed: (view) => { this.choose(view); this.app.changed(); },
    });
    const hint = element('p', { class: 'note' }, 'Drag a curve to the right or left for more or less of its number; '
      + 'up and down turns the second of two. Arrow keys move the cursor.');
    this.forPaper = element('div', { class: 'slice-set' }, ...this.knobs.map((knob) => knob.root));
    this.forAll = element('div', { class: 'slice-set' }, ...this.rows.map((row) => row.root));
    this.back = button('The paper’s numbers', () => { this.toFirst(this.view); this.remakeAll(); this.app.changed(); });
    this.sentence = element('p', { class: 'sentence', role: 'alert' });
    this.root = element('div', { class: 'part slices' },
      words(SLICE_WORDS, SLICE_PAPER),
      element('div', { class: 'slice-bar' }, this.choice.root, hint),
      this.sentence,
      element('div', { class: 'pictures' }, ...this.panels.map((panel) => panel.root)),
      element('div', { class: 'controls' }, this.forPaper, this.forAll,
        element('div', { class: 'buttons' }, this.back)));
    this.choose(this.view);
  }

  choose(view) {
    this.view = view;
    this.choice.set(view);
    this.forPaper.hidden = view !== 'paper';
    this.forAll.hidden = view !== 'all';
    this.panels.forEach((panel, i) => { panel.caption.textContent = SLICE_CAPTIONS[view][i]; });
    this.look(true);
  }

  toFirst(view) {
    if (view === 'paper')
      SLICE_NUMBERS.forEach(({ number }, i) => this.knobs[i].set(this.kelvin.c.explorer_slices_paper_number(number)));
    else
      for (const row of this.rows) row.set(true, row.first);
  }

  // ---- curves ----

  makePaper() {
    this.paper.make((c, list) => c.explorer_slices_paper(list, ...this.knobs.map((knob) => knob.value)));
  }

  remakeAll() {
    this.makePaper();
    for (const row of this.rows) row.make();
    this.stale.clear();
    this.look(true);
  }

  // Curves to be made anew before the next frame: hands are faster than frames.
  changed(what) {
    this.stale.add(what);
    this.look();
    this.app.changed();
  }

  // By a curve that was dragged.
  turned(knobs) {
    this.changed(this.view === 'paper' ? this.paper : this.rows.find((row) => row.knobs === knobs));
  }

  renew() {
    for (const what of this.stale) {
      if (what === this.paper) this.makePaper();
      else what.make();
    }
    this.stale.clear();
    this.collect();
  }

  paperCurves() {
    return this.paper.curves.map((curve, i) => {
      const knobs = curve.numbers.map((number) => this.knobs[SLICE_NUMBERS.findIndex((one) => one.number === number)]);
      const told = [curve.name, ...knobs.map((knob) => `${knob.name} = ${sliceNumber(knob.value)}`)].join(', ');
      const style = sliceStyle(curve.member, curve.power !== 1);
      return { ...curve, key: String(i), label: curve.name, told, style, knobs };
    });
  }

  // What is shown, by panel, and the sentences of what cannot be.
  collect() {
    const all = this.view === 'paper' ? this.paperCurves() : this.rows.flatMap((row) => row.curves());
    this.byPanel = this.panels.map((_, i) => all.filter((curve) => curve.panel === i));
    const lists = this.view === 'paper' ? [this.paper] : this.rows.filter((row) => row.shown).map((row) => row.list);
    const sentences = lists.map((list) => list.sentence).filter((text) => text);
    const text = sentences.length ? `Not drawn: ${sentences.join('; ')}.` : '';
    if (this.sentence.textContent !== text) this.sentence.textContent = text;
    const names = all.map((curve) => curve.key).join();
    if (names !== this.names) for (const panel of this.panels) panel.relist();
    this.names = names;
  }

  curves(panel) {
    return this.byPanel[panel];
  }

  range(panel) {
    return sliceRange(this.view, panel, this.byPanel[panel]);
  }

  moveCursor(index) {
    this.cursor = index;
    this.look();
  }

  // Draws what is to be seen, at most once a frame; `now`: nothing may be asked of curves that are no more.
  look(now = false) {
    if (now) this.renew();
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.renew();
      for (const panel of this.panels) {
        panel.tell();
        panel.stage.paint();
      }
    });
  }

  // ---- what the page asks ----

  state() {
    if (this.view === 'all') {
      const densities = this.rows.filter((row) => row.member).map((row) => row.text());
      return { v: 'all', d: densities.join('*'), l: this.cold.text() };
    }
    const numbers = SLICE_NUMBERS.map(({ key }, i) => [key, formatNumber(this.knobs[i].value)]);
    return { v: 'paper', ...Object.fromEntries(numbers) };
  }

  restore(state) {
    for (const view of ['paper', 'all']) this.toFirst(view);
    const view = state.v === 'all' ? 'all' : 'paper';
    if (view === 'paper') this.restorePaper(state);
    else this.restoreAll(state);
    this.choose(view);
    this.remakeAll();
  }

  restorePaper(state) {
    SLICE_NUMBERS.forEach(({ key }, i) => {
      const value = parseFloat(state[key]);
      if (Number.isFinite(value)) this.knobs[i].set(value);
    });
  }

  restoreAll(state) {
    for (const text of (state.d ?? '').split('*')) {
      const shown = !text.startsWith('_');
      const found = unspell(this.app.tables.densities, shown ? text : text.slice(1));
      if (!found) continue;
      const row = this.rows[found.member.index];
      row.set(shown, text.includes(':') ? found.values : row.knobs.map((knob) => knob.value));
    }
    const cold = state.l ?? '';
    const T = parseFloat(cold.replace('_', ''));
    this.cold.set(!cold.startsWith('_'), [Number.isFinite(T) ? T : this.cold.knobs[0].value]);
  }

  csv() {
    const names = this.panels.map((panel) => panel.name);
    return slicesToCsv(this.kelvin, this.axis, names, this.byPanel.flat());
  }
}

export const slices = {
  key: 'slices',
  title: 'The slices',
  create(app) {
    const part = new SlicePart(app);
    return {
      root: part.root,
      show: () => part.look(),
      hide() {},
      state: () => part.state(),
      restore: (state) => part.restore(state),
      canvases: () => part.panels.map((panel) => panel.print(420, 380)),
      files: () => [['Save CSV', () => saveCsv('kelvin-slices.csv', part.csv())]],
    };
  },
};
