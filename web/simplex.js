// The simplex: what a density makes of a prediction over three classes, and where its gradients lead.

import { Phase } from './phase.js';
import { Particles } from './simplex_particles.js';
import { Triangle, TRIANGLE_RASTER } from './simplex_triangle.js';
import { carryOver, formatNumber, sliderOf, spell, unspell, usual } from './tables.js';
import { button, choice, element, numberList, saveCsv, shorten, slider, switches, words } from './ui.js';

const SIMPLEX_PANELS = { likelihood: 0, prior: 1, posterior: 2 };
const FIRST_DENSITY = 'dirichlet:0.01';
const FIRST_SCATTER = 60;
const SIMPLEX_MANY = 100; // particles of a button
const SIMPLEX_STARTS = 10000; // behind the share, as `kelvin figure dirichlet-gradients` has them,
const STARTS_AT_ONCE = 500; // in pieces, so that a newer question does not wait
const SIMPLEX_DROPS = 20; // in an address
const SIMPLEX_SPEEDS = { from: 1, to: 40, ratio: true, whole: true };

const SIMPLEX_WORDS = 'Each point of the triangle is a prediction over three classes, darker or brighter gold where the chosen '
  + 'density is higher, and each particle is a prediction that climbs it by small gradient steps, as training does. '
  + 'A Dirichlet prior with a small alpha wants confident predictions and does not mind which class they are confident '
  + 'in: nearly all of its posterior lies at the true class, and yet many particles run to a wrong corner, since near one '
  + 'the prior pulls harder than the label. '
  + 'That happens below the critical alpha, (K − 2) / K for K classes, as the second picture shows: the more classes, the '
  + 'harder it is to train with a confident prior.';
const SIMPLEX_PAPER = 'Paper: section “Training stability”, figures “dirichlet-gradients” and “phase-diagram”; appendix “Dirichlet '
  + 'gradient step direction”.';

const asPercent = (share) => `${Number((100 * share).toPrecision(3))} %`;

// A bar with its number: { root, set(share or NaN, text) }.
function shareBar(label, name) {
  const fill = element('span', { style: `background: var(${name})` });
  const number = element('strong');
  return {
    root: element('div', { class: 'share-bar' }, element('div', { class: 'line' }, element('span', {}, label), number),
      element('div', { class: 'bar', 'aria-hidden': 'true' }, fill)),
    set(share, text) {
      fill.style.width = `${Number.isFinite(share) ? 100 * share : 0}%`;
      number.textContent = text;
    },
  };
}

class SimplexPart {
  constructor(app) {
    this.app = app;
    this.kelvin = app.kelvin;
    this.quiet = window.matchMedia('(prefers-reduced-motion: reduce)');
    this.particles = new Particles(app.kelvin);
    this.triangle = new Triangle(app.kelvin, this.particles, { drop: (x, y) => this.drop(x, y) });
    this.phase = new Phase(app, {
      alphaChosen: (alpha) => this.setValue(0, alpha), changed: () => this.app.changed(),
    });
    this.playing = true;
    this.build();
    this.start();
  }

  // As it is at first.
  start() {
    this.panel.set('posterior');
    this.setDensity(FIRST_DENSITY);
    this.speed.set(5);
    this.phase.setClasses(10);
    this.particles.clear();
    this.particles.scatter(FIRST_SCATTER);
  }

  build() {
    const { densities } = this.app.tables;
    this.select = choice({
      label: 'density', options: densities.map((d) => [d.name, d.usage]), value: densities[0].name,
      changed: (name) => {
        this.setDensity(carryOver(this.memory, this, densities.find((d) => d.name === name)));
        this.changed();
      },
    });
    this.memory = new Map();
    this.formula = element('p', { class: 'formula' });
    this.sliderPlace = element('div', { class: 'field' });
    this.misleads = element('p', { class: 'note', role: 'status' });
    this.problem = element('p', { class: 'sentence', role: 'alert' });
    this.panel = switches({
      label: 'what is shown', value: 'posterior', changed: () => this.changed(),
      options: [['likelihood', 'Likelihood'], ['prior', 'Prior'], ['posterior', 'Posterior']],
    });
    this.panelNote = element('p', { class: 'note' });
    this.speed = slider({ label: 'speed, steps per frame', range: SIMPLEX_SPEEDS, value: 5, changed: () => this.app.changed() });
    this.play = button('Pause', () => this.setPlaying(!this.playing));
    this.counts = numberList();
    this.bars = {
      wrong: shareBar('Particles that end at a wrong class', '--c1'),
      mass: shareBar('Mass where the true class is below one half', '--c6'),
    };
    this.barNote = element('p', { class: 'note', role: 'status' });
    this.root = element('div', { class: 'part' }, words(SIMPLEX_WORDS, SIMPLEX_PAPER), this.pictures(), this.controls());
  }

  pictures() {
    return element('div', { class: 'pictures' },
      element('figure', {}, this.triangle.canvas, element('figcaption', {}, 'Click or tap to drop particles; by keys: '
        + 'arrows move a cross (Shift: further), Enter drops. Squares in orange ended at a wrong class, blue discs at '
        + 'the true one.'), this.counts.root,
      element('div', { class: 'share-bars' }, this.bars.wrong.root, this.bars.mass.root, this.barNote)),
      this.phase.root);
  }

  controls() {
    const group = (title, ...inside) => element('fieldset', {}, element('legend', {}, title), ...inside);
    return element('div', { class: 'controls' },
      group('Density', this.select.root, this.formula, this.sliderPlace, this.misleads, this.problem),
      group('Shown in the triangle', this.panel.root, this.panelNote),
      group('Particles', element('div', { class: 'buttons' },
        button(`Drop ${SIMPLEX_MANY} at random`, () => { this.particles.scatter(SIMPLEX_MANY); this.moved(); }),
        button('Start again', () => { this.particles.restart(); this.moved(); }),
        button('Clear', () => { this.particles.clear(); this.moved(); }), this.play), this.speed.root),
      group('Phase diagram', this.phase.slider.root));
  }

  // ---- what is chosen ----

  setDensity(text) {
    const { densities } = this.app.tables;
    const found = unspell(densities, text) ?? unspell(densities, FIRST_DENSITY)
      ?? { member: densities[0], values: densities[0].parameters.map(usual) };
    this.member = found.member;
    this.values = found.values;
    this.select.set(this.member.name);
    this.formula.textContent = this.member.about;
    this.sliders = this.member.parameters.map((parameter, j) => slider({
      label: parameter.name, range: sliderOf(parameter), value: this.values[j],
      changed: (value) => this.setValue(j, value),
    }));
    this.sliderPlace.replaceChildren(...this.sliders.map((one) => one.root));
    if (this.member.hasCritical)
      this.sliders[0].root.querySelector('input[type=range]').after(this.criticalMark(this.member.parameters[0]));
    this.makeDensity();
  }

  // A tick under the slider where the critical value is.
  criticalMark(parameter) {
    const { from, to, ratio } = sliderOf(parameter);
    const critical = this.kelvin.c.explorer_phase_critical(3);
    const share = ratio ? Math.log(critical / from) / Math.log(to / from) : (critical - from) / (to - from);
    const mark = element('span', { style: `left: calc(8px + ${share} * (100% - 16px))` },
      `critical: ${shorten(critical)}`);
    return element('div', { class: 'slider-mark', hidden: !(share >= 0 && share <= 1) }, mark);
  }

  setValue(j, value) {
    this.values[j] = value;
    this.sliders[j].set(value);
    this.makeDensity();
    this.changed();
  }

  // The prior of a density that looks at the label is not a thing of its own.
  panelShown() {
    return this.panel.value === 'prior' && this.member.seesLabel ? 'posterior' : this.panel.value;
  }

  question() {
    return { density: this.text(), panel: SIMPLEX_PANELS[this.panelShown()] };
  }

  text() {
    return spell(this.member, this.values);
  }

  // The library's density of what is chosen; a sentence, and the last good one, if it cannot be.
  makeDensity() {
    const { density, panel } = this.question();
    try {
      const made = this.kelvin.with((take) => this.kelvin.check(
        this.kelvin.c.explorer_simplex_create(take.text(density), panel)));
      if (this.density) this.kelvin.c.explorer_simplex_destroy(this.density);
      this.density = made;
      this.problem.textContent = '';
    } catch (error) {
      this.problem.textContent = `${error.message}.`;
    }
    this.good = !this.problem.textContent;
    this.sayDensity();
  }

  sayDensity() {
    const { member } = this;
    this.misleads.textContent = '';
    if (member.hasCritical && this.good) {
      const below = this.values[0] < this.kelvin.c.explorer_phase_critical(3);
      this.misleads.textContent = below
        ? 'Alpha is below the critical value of three classes: gradients can mislead here.'
        : 'Alpha is not below the critical value: with three classes no gradient step lowers the true class for long.';
    }
    this.panelNote.textContent = '';
    if (this.panel.value === 'likelihood') this.panelNote.textContent = 'The categorical likelihood, whatever the density.';
    else if (this.panel.value === 'prior' && member.seesLabel)
      this.panelNote.textContent = 'This density looks at the label: it has no prior of its own, and is shown whole.';
    this.phase.setAlpha(member.hasCritical && this.good ? this.values[0] : null);
  }

  // ---- work ----

  changed() {
    this.makeDensity();
    this.particles.restart();
    this.moved();
    this.compute();
  }

  drop(x, y) {
    this.particles.drop(x, y);
    this.moved();
  }

  moved() {
    this.run();
    this.triangle.stage.ask();
    this.sayCounts();
    this.app.changed();
  }

  async compute() {
    if (!this.shown || !this.good) return;
    const question = this.question();
    const id = JSON.stringify(question);
    if (this.asked === id) return;
    this.asked = id;
    this.triangle.setField(this.density);
    const late = (answer) => answer === null || this.asked !== id;
    try {
      const raster = await this.app.ask('simplexRaster', { ...question, ...TRIANGLE_RASTER }, { only: true });
      if (late(raster)) return;
      this.triangle.setRaster(raster);
      const mass = await this.app.ask('simplexMass', question, { only: true });
      if (late(mass)) return;
      this.shares = { ...mass, wrong: 0, starts: 0 };
      for (let first = 0; first < SIMPLEX_STARTS && this.shown; first += STARTS_AT_ONCE) {
        const wrong = await this.app.ask('simplexWrong', { ...question, first, n: STARTS_AT_ONCE }, { only: true });
        if (late(wrong)) return;
        this.shares.wrong += wrong;
        this.shares.starts += STARTS_AT_ONCE;
        this.sayShares();
      }
      if (this.shares.starts < SIMPLEX_STARTS) this.asked = null; // it went out of sight: once more when it is back
    } catch (error) {
      this.problem.textContent = `${error.message}.`;
    }
  }

  sayShares() {
    const { wrong, starts, mass, finite, ofLogits } = this.shares;
    const share = wrong / starts;
    this.bars.wrong.set(share, asPercent(share));
    let text = asPercent(mass);
    let note = `The exact integral says where the ${this.panelShown()} is; ${starts.toLocaleString('en')} particles from `
      + 'everywhere say where its gradients lead. ';
    if (ofLogits) [text, note] = ['not defined', `${note}A density of logits is none of predictions: it has no mass here. `];
    else if (!finite) [text, note] = ['not finite', `${note}This density is so high at an edge that its integral is not finite. `];
    else if (!Number.isFinite(mass)) [text, note] = ['not found', `${note}The integral could not be computed to four digits. `];
    else if (share > 2 * mass + 0.01) note += 'So gradients lead to wrong classes much more often than there is reason to.';
    else if (share + 0.01 < mass / 2) note += 'So gradients lead to the true class, though the density leaves it open.';
    this.bars.mass.set(mass, text);
    this.barNote.textContent = note;
  }

  sayCounts() {
    const { right, wrong } = this.particles.ended();
    this.counts.set('particles', String(this.particles.count()));
    this.counts.set('climbing', String(this.particles.climbing()));
    this.counts.set('ended at the true class', String(right));
    this.counts.set('ended at a wrong class', String(wrong));
  }

  // ---- motion ----

  setPlaying(on) {
    this.playing = on;
    this.play.textContent = on ? 'Pause' : 'Play';
    this.run();
  }

  run() {
    if (this.frame || !this.shown || !this.playing || !this.particles.climbing()) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const still = this.advance();
      this.sayCounts();
      // who does not want motion sees the ways when they are complete
      if (!this.quiet.matches || !still) this.triangle.stage.ask();
      this.run();
    });
  }

  advance() {
    if (!this.quiet.matches) return this.particles.climb(this.density, this.speed.value);
    const until = performance.now() + 15;
    while (performance.now() < until) if (!this.particles.climb(this.density, 20)) return false;
    return true;
  }

  show() {
    this.shown = true;
    this.phase.show();
    this.compute();
    this.run();
    this.sayCounts();
  }

  hide() {
    this.shown = false;
    this.phase.hide();
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  // ---- the address, and files ----

  state() {
    const places = this.particles.dropped.slice(-SIMPLEX_DROPS).map(([x, y]) => `${x.toFixed(3)}_${y.toFixed(3)}`);
    return {
      d: this.text(), v: this.panel.value, k: String(this.phase.classes), n: String(this.particles.scattered),
      s: String(this.speed.value), ...(places.length ? { at: places.join(',') } : {}),
    };
  }

  restore({ d, v, k, n, s, at }) {
    this.panel.set(v in SIMPLEX_PANELS ? v : 'posterior');
    this.setDensity(typeof d === 'string' ? d : FIRST_DENSITY);
    this.phase.setClasses(Number(k) || 10);
    const speed = Math.round(Number(s));
    this.speed.set(speed >= SIMPLEX_SPEEDS.from && speed <= SIMPLEX_SPEEDS.to ? speed : 5);
    const scattered = n === undefined ? FIRST_SCATTER : Math.min(500, Math.max(0, Math.round(Number(n)) || 0));
    this.particles.clear();
    if (scattered) this.particles.scatter(scattered);
    for (const place of (at ?? '').split(',').slice(0, SIMPLEX_DROPS)) {
      const [x, y] = place.split('_').map(Number);
      if (x >= -0.1 && x <= 1.1 && y >= -0.1 && y <= 1) this.particles.drop(x, y);
    }
    this.makeDensity();
    this.compute();
    this.run();
    this.sayCounts();
    this.triangle.stage.ask();
  }

  // Starts and ends of all particles, as x,y in the triangle.
  csv() {
    const lines = ['# density and what is shown', `# ${this.text()} ${this.panelShown()}`, 'x,y,ended,wrong'];
    for (const { place, wrong, ended } of this.particles.each())
      lines.push([formatNumber(place[0]), formatNumber(place[1]), Number(ended), Number(wrong)].join(','));
    saveCsv('kelvin-particles.csv', `${lines.join('\n')}\n`);
  }
}

export const simplex = {
  key: 'simplex',
  title: 'The simplex',
  create(app) {
    const part = new SimplexPart(app);
    return {
      root: part.root,
      show: () => part.show(),
      hide: () => part.hide(),
      state: () => part.state(),
      restore: (state) => part.restore(state),
      canvases: () => [part.triangle.canvas, part.phase.canvas],
      files: () => [['Save particles (CSV)', () => part.csv()]],
    };
  },
};
