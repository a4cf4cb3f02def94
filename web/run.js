// Your run: files of a run folder that are dropped onto the page, evaluated as `kelvin eval` does. Nothing leaves the
// page.

import { runDrawConfidence, runDrawHistory, runDrawReliability, runDrawSizes } from './run_charts.js';
import { runChosen, runDropped, runMerge, runSort } from './run_files.js';
import { runMetrics } from './run_jobs.js';
import { button, choice, element, saveCsv, stage, switches, words } from './ui.js';

const RUN_BINS = ['5', '10', '15', '25', '50'];
const RUN_USUAL = { side: 'test', kind: 'width', bins: '15', metric: null, column: 'log_posterior', rows: 'all' };
const RUN_SIDES = { test: 'test data', train: 'training data' };

// One question to a worker of its own, which is gone afterwards, and all of its memory with it. A new question stops
// the last one.
class RunWorker {
  constructor(app) {
    this.app = app;
    this.worker = null;
  }

  stop() {
    this.worker?.terminate();
    this.worker = null;
  }

  ask(job, question) {
    this.stop();
    const worker = this.app.startWorker();
    this.worker = worker;
    return new Promise((resolve, reject) => {
      const end = (tell) => (event) => {
        if (this.worker !== worker) return;
        this.stop();
        tell(event);
      };
      worker.onmessage = end(({ data }) => (data.error ? reject(new Error(data.error)) : resolve(data.answer)));
      worker.onerror = end((event) => reject(new Error(`the worker stopped: ${event.message || 'out of memory'}`)));
      worker.postMessage({ kind: 'ask', id: 1, job, question });
    });
  }
}

// ---- words and numbers ----

function runSentence(text) {
  const first = /^[a-z]+ /.test(text) ? text[0].toUpperCase() + text.slice(1) : text;
  return /[.!?]$/.test(first) ? first : `${first}.`;
}

function runCount(n, what) {
  return `${n.toLocaleString('en')} ${what}${n === 1 ? '' : 's'}`;
}

function runSome(names, most) {
  const rest = names.length - most;
  return names.slice(0, most).join(', ') + (rest > 0 ? `, and ${rest} more` : '');
}

function runFormat(metric, value) {
  return Number.isFinite(value) ? (metric.scale * value).toFixed(metric.digits) : '–';
}

function runWithUnit(metric, value) {
  const text = runFormat(metric, value);
  return metric.unit && Number.isFinite(value) ? `${text} ${metric.unit}` : text;
}

function runSummary({ counts, metrics, side, chainsKnown }) {
  const value = (name) => metrics.find((metric) => metric.name === name)?.ensemble;
  const [right, sure] = [100 * value('accuracy'), 100 * value('confidence')];
  const chains = chainsKnown ? ` of ${runCount(counts.chains, 'chain')}` : '';
  let text = `${runCount(counts.samples, 'sample')}${chains}, ${runCount(counts.observations, 'observation')} `
    + `(${RUN_SIDES[side]}), ${counts.classes} classes.`;
  if (!Number.isFinite(right - sure)) return text;
  text += ` All samples together are right on ${right.toFixed(1)} % and ${sure.toFixed(1)} % sure: `;
  if (Math.abs(right - sure) < 1) return `${text}about as confident as they are right.`;
  return `${text}${sure < right ? 'less' : 'more'} confident than they are right.`;
}

function runArrow(better) {
  if (!better) return '';
  return element('span', { class: 'note', title: better > 0 ? 'more is better' : 'less is better' },
    element('span', { 'aria-hidden': 'true' }, better > 0 ? ' ↑' : ' ↓'),
    element('span', { class: 'hidden-text' }, better > 0 ? ', more is better' : ', less is better'));
}

function runTableOf({ counts, metrics }) {
  const some = counts.subsets > 0;
  const row = (metric) => element('tr', { class: metric.first ? 'first' : '' },
    element('th', { scope: 'row', title: metric.about },
      metric.unit ? `${metric.title}, ${metric.unit}` : metric.title, runArrow(metric.better)),
    element('td', {}, element('b', {}, runFormat(metric, metric.ensemble))),
    element('td', {}, metric.together ? '–' : runFormat(metric, metric.mean),
      !metric.together && Number.isFinite(metric.error)
        ? element('small', {}, ` ± ${runFormat(metric, metric.error)}`) : ''),
    ...(some ? [element('td', {}, runFormat(metric, metric.median),
      element('small', {}, ` ${runFormat(metric, metric.low)} .. ${runFormat(metric, metric.high)}`))] : []));
  const heads = ['', 'all together', 'single samples', ...(some ? [`ensembles of ${counts.subset}`] : [])];
  return element('table', { class: 'metrics' },
    element('caption', { class: 'hidden-text' }, 'How good samples are one by one and together'),
    element('thead', {}, element('tr', {}, ...heads.map((text) => element('th', { scope: 'col' }, text)))),
    element('tbody', {}, ...metrics.map(row)));
}

// As `kelvin eval --csv --sizes` has them.
export function runNumbersCsv(name, { counts, metrics, side }) {
  const text = (value) => (Number.isFinite(value) ? String(value) : '');
  const lines = ['run,on,ood,metric,kind,value,low,high,error'];
  const quoted = `"${name.replaceAll('"', '""')}","${side}",`;
  for (const metric of metrics) {
    const put = (kind, value, low, high, error) =>
      lines.push([quoted, metric.name, kind, ...[value, low, high, error].map(text)].join(','));
    put('single', metric.mean, NaN, NaN, metric.error);
    put('ensemble', metric.ensemble);
    if (counts.subsets) put(`ensembles_of_${counts.subset}`, metric.median, metric.low, metric.high);
    for (const [n, mean, low, high] of metric.sizes) put(`size_${n}`, mean, low, high);
  }
  return `${lines.join('\n')}\n`;
}

export function runBinsCsv({ width, mass }) {
  const row = (kind) => (bin) => [kind, bin.from, bin.to, bin.n, bin.hits, bin.confidence, bin.low, bin.high]
    .map((value) => (Number.isNaN(value) ? '' : value)).join(',');
  return `${['bins,from,to,observations,hits,confidence,low,high', ...width.map(row('width')), ...mass.map(row('mass'))]
    .join('\n')}\n`;
}

// ---- the part ----

class RunPart {
  constructor(app) {
    this.app = app;
    this.work = new RunWorker(app);
    this.metrics = runMetrics(app.kelvin);
    this.curved = this.metrics.filter((metric) => metric.sizes);
    this.usual = { ...RUN_USUAL, metric: this.curved[0]?.name ?? null };
    this.view = { ...this.usual };
    this.wanted = null; // what is being worked on: a later one takes its place
    this.forget();
    this.build();
    this.refresh();
  }

  forget() {
    this.files = [];
    this.folder = '';
    this.example = false;
    this.about = null; // what the small files say
    this.results = new Map(); // by side and bins
  }

  get side() {
    const { sides = [] } = this.about ?? {};
    return sides.includes(this.view.side) ? this.view.side : sides[0];
  }

  get result() {
    return this.results.get(`${this.side} ${this.view.bins}`);
  }

  // ---- what it looks like ----

  build() {
    this.said = element('p', { class: 'note', role: 'status' });
    this.problems = element('div', { role: 'alert' });
    this.notes = element('div');
    this.summary = element('p', { class: 'summary' });
    this.table = element('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': 'Numbers of the run' });
    this.buildPictures();
    this.buildControls();
    this.root = element('div', {}, this.wordsOf(), this.dropZone(), this.said, this.problems,
      element('div', { class: 'part' },
        this.shown = element('div', { class: 'run-shown' }, this.summary, this.notes, this.table, this.pictures),
        this.controls));
  }

  wordsOf() {
    return words('A run of kelvin leaves what every sample of its posterior says of every observation, and from that '
      + 'alone this page computes how good the posterior is. In the reliability diagram bars should reach the dashed '
      + 'line: below it a network claims more than it keeps, above it a network is too modest. More samples in the '
      + 'ensemble should help, until the curve of posterior size is flat; chains that wander apart in the history say '
      + 'that they have not settled.',
    'Paper: section 2.1 (the posterior predictive), appendices B.2 and G (why more samples help). Reliability diagrams '
      + 'are those of Guo et al., 2017.');
  }

  dropZone() {
    const chosen = (event) => {
      const files = runChosen(event.target.files);
      event.target.value = '';
      if (files.length) this.take(files);
    };
    const input = (attributes) =>
      element('input', { type: 'file', multiple: true, hidden: true, tabindex: '-1', onchange: chosen, ...attributes });
    const files = input({ 'aria-label': 'Files of a run' });
    const folder = input({ webkitdirectory: true, 'aria-label': 'Folder of a run' });
    const code = (text) => element('code', {}, text);
    this.explanation = element('div', {},
      element('p', {}, element('b', {}, 'Drop the folder of a run here'), ', as ', code('kelvin sample -o RUN'),
        ' makes it, or some of its files. Nothing is sent anywhere: they are read in this page.'),
      element('ul', {},
        element('li', {}, code('logits_test.npy'), ' and ', code('labels_test.npy'), ' (or ', code('_train'),
          '): numbers, reliability, confidence, posterior size'),
        element('li', {}, code('chain-000/history.csv'), ', ...: how each chain went'),
        element('li', {}, code('run.json'), ', ', code('data.json'), ', ', code('manifest'),
          ': which samples are of one chain, and whether any file is damaged')));
    this.another = element('p', {}, 'Drop another run anywhere on this page, or:');
    this.drop = element('div', { class: 'drop', role: 'group', 'aria-label': 'Files of a run' },
      this.explanation, this.another, element('div', { class: 'buttons' }, button('Choose files', () => files.click()),
        'webkitdirectory' in folder ? button('Choose a folder', () => folder.click()) : '',
        button('Try it with an example', () => this.tryExample(),
          { title: 'samples a small posterior in this page, in a second or two' }),
        this.clear = button('Forget these files', () => this.reset())), files, folder);
    return this.drop;
  }

  buildPictures() {
    const picture = (title, draw, shape) => {
      const made = stage({ label: title, shape, still: true, draw });
      const caption = element('figcaption');
      return { ...made, caption, title, root: element('figure', {}, element('h3', {}, title), made.canvas, caption) };
    };
    const withResult = (draw) => (context, width, height) => {
      if (this.result) draw(context, width, height);
    };
    const shape = (width) => (width < 420 ? 0.95 : 0.72);
    this.reliability = picture('Reliability', withResult((...at) =>
      runDrawReliability(...at, { result: this.result, mass: this.view.kind === 'mass' })), shape);
    this.confidence = picture('Confidence of right and wrong predictions', withResult((...at) =>
      runDrawConfidence(...at, { result: this.result })), shape);
    this.sizes = picture('Posterior size', withResult((...at) => {
      if (this.curve) runDrawSizes(...at, { metric: this.curve });
    }), shape);
    this.history = picture('History of the chains', (...at) => {
      const histories = this.about?.histories ?? [];
      if (histories.length)
        runDrawHistory(...at, { histories, column: this.column, latter: this.view.rows === 'latter' });
    }, shape);
    this.pictures = element('div', { class: 'pictures' }, this.reliability.root, this.confidence.root, this.sizes.root,
      this.history.root);
  }

  get curve() {
    return this.result?.metrics.find((metric) => metric.name === this.view.metric);
  }

  get columns() {
    return Object.keys(this.about?.histories[0]?.curves ?? {});
  }

  get column() {
    return this.columns.includes(this.view.column) ? this.view.column : this.columns[0];
  }

  setting(key, control, apply) {
    return control({ ...apply, value: this.view[key], changed: (value) => {
      this.view[key] = value;
      this.app.changed();
      this.refresh();
      this.evaluate();
    } });
  }

  buildControls() {
    const legend = (text, ...inside) => element('fieldset', {}, element('legend', {}, text), ...inside);
    this.sideSwitch = this.setting('side', switches, { label: 'Evaluated on', options: Object.entries(RUN_SIDES) });
    this.kindSwitch = this.setting('kind', switches,
      { label: 'Bins of reliability', options: [['width', 'equal width'], ['mass', 'equal mass']] });
    this.binsChoice = this.setting('bins', choice, { label: 'number of bins', options: RUN_BINS.map((n) => [n, n]) });
    this.metricChoice = this.setting('metric', choice,
      { label: 'metric', options: this.curved.map((metric) => [metric.name, metric.title]) });
    this.rowsSwitch = this.setting('rows', switches,
      { label: 'Rows of the history', options: [['all', 'all rows'], ['latter', 'latter half']] });
    this.columnPlace = element('div');
    this.controls = element('div', { class: 'controls' },
      this.sideControls = legend('Evaluated on', this.sideSwitch.root),
      this.resultControls = legend('Reliability', this.kindSwitch.root, this.binsChoice.root),
      this.sizeControls = legend('Posterior size', this.metricChoice.root),
      this.historyControls = legend('History', this.columnPlace, this.rowsSwitch.root));
  }

  // The columns are those of the run's own sampler.
  offerColumns() {
    const control = this.setting('column', choice,
      { label: 'column', options: this.columns.map((name) => [name, name.replaceAll('_', ' ')]) });
    control.set(this.column);
    this.columnPlace.replaceChildren(control.root);
  }

  // ---- files ----

  say(text) {
    this.said.textContent = text;
  }

  complain(...sentences) {
    this.problems.replaceChildren(...sentences.map((text) => element('p', { class: 'sentence' }, runSentence(text))));
  }

  // Loose files are added to others that are not enough yet; a folder, or files after results, begin anew.
  async take(brought) {
    let sorted;
    try {
      sorted = runSort(brought);
    } catch (error) {
      this.complain(error.message);
      return;
    }
    const { files, folder, aside } = sorted;
    if (!files.length) {
      this.complain(`${runSome(aside, 3) || 'What was dropped'}: no file of a run is among these; expected `
        + 'logits_test.npy with labels_test.npy, history.csv or others of a run folder');
      return;
    }
    const adds = !folder && !this.example && this.files.length && !this.results.size;
    const before = adds ? this.files : [];
    const name = folder || (adds ? this.folder : '');
    this.forget();
    await this.open(runMerge(before, files), name, aside);
  }

  async tryExample() {
    this.complain();
    const turn = this.begin('Sampling: four chains by HMC on the 18 points of figure 1 ...');
    try {
      const files = await this.work.ask('runExample', {});
      if (turn !== this.wanted) return;
      this.forget();
      this.example = true;
      await this.open(files, 'example', []);
    } catch (error) {
      this.fail(turn, error);
    }
  }

  begin(text) {
    this.say(text);
    this.root.setAttribute('aria-busy', 'true');
    this.wanted = {};
    return this.wanted;
  }

  end(turn, text = '') {
    if (turn !== this.wanted) return;
    this.root.removeAttribute('aria-busy');
    this.say(text);
  }

  fail(turn, error) {
    if (turn !== this.wanted) return;
    this.complain(...(this.about?.problems ?? []), error.message);
    this.end(turn);
    this.refresh();
  }

  async open(files, folder, aside) {
    this.files = files;
    this.folder = folder;
    this.complain();
    const turn = this.begin(`Reading ${runCount(files.length, 'file')} ...`);
    this.refresh();
    try {
      const about = await this.work.ask('runRead', { files, folder, example: this.example });
      if (turn !== this.wanted) return;
      this.about = about;
    } catch (error) {
      this.fail(turn, error);
      return;
    }
    this.sayNotes(aside);
    this.complain(...this.about.problems, ...(this.about.missing ? [this.about.missing] : []));
    this.offerColumns();
    this.end(turn);
    this.refresh();
    await this.evaluate();
  }

  sayNotes(aside) {
    const notes = [...this.about.notes];
    if (this.example)
      notes.push('This example was sampled in the page just now, by the C of the first part: draws of four chains on '
        + 'the 18 points of figure 1 (categorical likelihood). They are judged at these same points: there are no test '
        + 'data here.');
    if (aside.length)
      notes.push(`Left aside, as no file of a run: ${runSome(aside, 4)}.`);
    this.notes.replaceChildren(...notes.map((text) => element('p', { class: 'note' }, text)));
  }

  async evaluate() {
    const { about, side } = this;
    const { bins } = this.view;
    if (!side || this.result) return;
    const turn = this.begin(`Evaluating ${RUN_SIDES[side]} ...`);
    try {
      const { config, data } = about;
      const histories = about.histories.map(({ chain, rows, kept }) => ({ chain, rows, kept }));
      const result = await this.work.ask('runEvaluate', { files: this.files, folder: this.folder, side,
        bins: Number(bins), config, data, histories });
      if (turn !== this.wanted) return;
      this.results.set(`${side} ${bins}`, result);
      this.complain(...about.problems);
      this.end(turn);
      this.refresh();
    } catch (error) {
      this.fail(turn, error);
    }
  }

  reset() {
    this.work.stop();
    this.wanted = null;
    this.root.removeAttribute('aria-busy');
    this.forget();
    this.complain();
    this.say('');
    this.notes.replaceChildren();
    this.refresh();
  }

  // ---- what is shown ----

  refresh() {
    const { result, about } = this;
    const histories = about?.histories ?? [];
    const hasCurve = (result?.counts.sizes ?? 0) > 1;
    this.explanation.hidden = this.files.length > 0;
    this.clear.hidden = this.another.hidden = !this.files.length;
    this.drop.classList.toggle('small', this.files.length > 0);
    this.reliability.root.hidden = this.confidence.root.hidden = this.summary.hidden = this.table.hidden = !result;
    this.resultControls.hidden = !result;
    this.sizes.root.hidden = this.sizeControls.hidden = !hasCurve;
    this.history.root.hidden = this.historyControls.hidden = !histories.length;
    this.sideControls.hidden = (about?.sides.length ?? 0) < 2;
    this.controls.hidden = !result && !histories.length;
    this.sideSwitch.set(this.side);
    if (result) this.showResult(result);
    if (histories.length) this.showHistory(histories);
  }

  showResult(result) {
    this.summary.replaceChildren(element('b', {}, this.folder || 'Your run'), `: ${runSummary(result)}`,
      result.chainsKnown ? '' : ' Which samples are of one chain is not known (run.json and histories say it): each '
        + 'counts as one of its own in errors of single samples.');
    this.table.replaceChildren(runTableOf(result));
    const mass = this.view.kind === 'mass';
    const error = result.metrics.find((metric) => metric.name === (mass ? 'ece_mass' : 'ece'));
    this.tell(this.reliability, `${error ? `${error.title} ${runWithUnit(error, error.ensemble)}; ` : ''}`
      + (mass ? 'each point stands for about as many observations; bars: 10 .. 90 % (Wilson); open: fewer than 10'
        : 'blue: share that is right; orange line: what was claimed; thin bars: 10 .. 90 % (Wilson); pale: fewer than '
          + '10 observations; below: how many there are'));
    this.tell(this.confidence, 'share of all observations by how sure the ensemble is of them, those that it gets '
      + 'right above, wrong below; on a logarithmic scale, as few may be wrong');
    if (this.curve) this.tell(this.sizes, `${this.curve.title}: mean and 10 .. 90 % over random orders of the samples`);
  }

  showHistory(histories) {
    const name = (this.column ?? '').replaceAll('_', ' ');
    this.tell(this.history, `${name} by ${histories[0].by}, a line for each of ${runCount(histories.length, 'chain')}`);
  }

  tell(picture, text) {
    picture.caption.textContent = runSentence(text[0].toUpperCase() + text.slice(1));
    picture.canvas.setAttribute('aria-label', `${picture.title}: ${text}`);
    picture.ask();
  }

  // ---- for the page ----

  keep(suffix, make) {
    const name = `kelvin-${this.folder || 'run'}-${this.side}-${suffix}.csv`;
    if (this.result) saveCsv(name, make());
    else this.complain('There are no numbers to save yet: drop the files of a run first');
  }

  savings() {
    return [['Save numbers (CSV)', () => this.keep('numbers', () => runNumbersCsv(this.folder || 'run', this.result))],
      ['Save bins (CSV)', () => this.keep('bins', () => runBinsCsv(this.result))]];
  }

  state() {
    return Object.fromEntries(Object.entries(this.view).filter(([key, value]) => value !== this.usual[key]));
  }

  restore(state) {
    const allowed = { side: Object.keys(RUN_SIDES), kind: ['width', 'mass'], bins: RUN_BINS, rows: ['all', 'latter'],
      metric: this.curved.map((metric) => metric.name) };
    for (const key of Object.keys(this.usual)) {
      const given = state[key];
      const fine = key === 'column' ? /^\w{1,60}$/.test(given ?? '') : allowed[key].includes(given);
      this.view[key] = fine ? given : this.usual[key];
    }
    this.kindSwitch.set(this.view.kind);
    this.binsChoice.set(this.view.bins);
    this.metricChoice.set(this.view.metric);
    this.rowsSwitch.set(this.view.rows);
    if (this.about) this.offerColumns();
    this.refresh();
    this.evaluate();
  }

  // Files may be dropped anywhere while this part is seen: next to the zone a browser would leave the page for them.
  listen(on) {
    this.listeners ??= {
      dragover: (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        this.drop.classList.add('over');
      },
      dragleave: (event) => {
        if (!event.relatedTarget) this.drop.classList.remove('over');
      },
      drop: async (event) => {
        if (!event.dataTransfer?.types.includes('Files')) return;
        event.preventDefault();
        this.drop.classList.remove('over');
        try {
          await this.take(await runDropped(event.dataTransfer));
        } catch (error) {
          this.complain(error.message);
        }
      },
    };
    for (const [name, listener] of Object.entries(this.listeners))
      window[on ? 'addEventListener' : 'removeEventListener'](name, listener);
  }

  shownCanvases() {
    const shown = [this.reliability, this.confidence, this.sizes, this.history].filter((one) => !one.root.hidden);
    if (!shown.length) this.complain('There is no picture to save yet: drop the files of a run first');
    return shown.map((one) => one.canvas);
  }
}

export const run = {
  key: 'run',
  title: 'Your run',
  create(app) {
    const part = new RunPart(app);
    return {
      root: part.root,
      show: () => part.listen(true),
      hide: () => part.listen(false),
      state: () => part.state(),
      restore: (state) => part.restore(state),
      canvases: () => part.shownCanvases(),
      files: () => part.savings(),
    };
  },
};
