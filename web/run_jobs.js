// A run's files in a worker: they are compared with their manifest, read and evaluated by the library. Files come as
// Blobs by their paths in the run's folder, so that bytes are read here and nowhere else.

const RUN_PIECE = 1 << 23; // bytes that are read at once
const RUN_HEAD = 4096; // bytes in which an array file must say what it is
const RUN_MOST_MEMORY = 1.5e9;
const RUN_MOST_HISTORY = 2e8;
const RUN_POINTS = 600; // of a curve, each with the least and the largest of what it stands for
const RUN_METRIC_TEXTS = ['name', 'title', 'unit', 'about'];
const RUN_METRIC_NUMBERS = ['scale', 'digits', 'better', 'least', 'most', 'together', 'first', 'sizes'];
const RUN_COUNTS = ['samples', 'chains', 'observations', 'classes', 'singles', 'subsets', 'subset', 'bins', 'sizes'];

function runBytes(bytes) {
  return bytes < 1e6 ? `${Math.ceil(bytes / 1e3)} kB` : bytes < 1e9 ? `${Math.round(bytes / 1e6)} MB`
    : `${(bytes / 1e9).toFixed(1)} GB`;
}

// The library's table of metrics.
export function runMetrics(kelvin) {
  return Array.from({ length: kelvin.c.explorer_metrics() }, (_, i) => {
    const metric = { index: i };
    RUN_METRIC_TEXTS.forEach((key, which) => {
      metric[key] = kelvin.text(kelvin.c.explorer_metric_text(i, which));
    });
    RUN_METRIC_NUMBERS.forEach((key, which) => {
      metric[key] = kelvin.c.explorer_metric_number(i, which);
    });
    return metric;
  });
}

// ---- files ----

async function runSlice(file, name, from, to) {
  try {
    return new Uint8Array(await file.slice(from, to).arrayBuffer());
  } catch {
    throw new Error(`${name}: could not be read; it may have changed, or gone, since it was dropped`);
  }
}

async function* runPieces(file, name) {
  for (let from = 0; from < file.size; from += RUN_PIECE)
    yield { from, piece: await runSlice(file, name, from, from + RUN_PIECE) };
}

async function runText(file, name) {
  return new TextDecoder().decode(await runSlice(file, name, 0, file.size));
}

// What of a folder there is, as its manifest says; without one nothing is compared.
class RunFolder {
  constructor(kelvin, files, folder) {
    this.kelvin = kelvin;
    this.files = new Map(files.map(({ path, file }) => [path, file]));
    this.folder = folder || '.';
    this.manifest = 0;
  }

  // A sentence without the folder that only the library asked for.
  fail(text) {
    return new Error(text.replaceAll('./', ''));
  }

  check(ok) {
    if (!ok) throw this.fail(this.kelvin.text(this.kelvin.c.explorer_error()) || 'out of memory');
    return ok;
  }

  async open() {
    const file = this.files.get('manifest');
    if (!file) return;
    const bytes = await runSlice(file, 'manifest', 0, file.size);
    this.manifest = this.kelvin.with((take) => this.check(
      this.kelvin.c.explorer_manifest_open(take.bytes(bytes), bytes.length, take.text(this.folder))));
  }

  close() {
    if (this.manifest) this.kelvin.c.explorer_manifest_close(this.manifest);
    this.manifest = 0;
  }

  lists(path) {
    return Boolean(this.manifest
      && this.kelvin.with((take) => this.kelvin.c.explorer_manifest_has(this.manifest, take.text(path))));
  }

  matches(path, size, crc) {
    return Boolean(this.kelvin.with(
      (take) => this.kelvin.c.explorer_manifest_matches(this.manifest, take.text(path), size, crc)));
  }

  async checksum(file, name) {
    let crc = 0;
    for await (const { piece } of runPieces(file, name))
      crc = this.kelvin.with((take) => this.kelvin.c.explorer_crc32(crc, take.bytes(piece), piece.length));
    return crc;
  }

  // The file, if it is as the run left it.
  async vouched(path) {
    const file = this.files.get(path);
    if (file && this.manifest) this.check(this.matches(path, file.size, await this.checksum(file, path)));
    return file;
  }

  // All bytes of a file where C can see them; to be freed by the caller.
  async load(path) {
    const file = this.files.get(path);
    const { kelvin } = this;
    const at = kelvin.c.explorer_alloc(file.size);
    if (!at) throw new Error(`${path}: has ${runBytes(file.size)}, for which the page finds no memory`);
    try {
      for await (const { from, piece } of runPieces(file, path)) kelvin.bytes(at + from, piece.length).set(piece);
      if (this.manifest) this.check(this.matches(path, file.size, kelvin.c.explorer_crc32(0, at, file.size)));
    } catch (error) {
      kelvin.c.explorer_free(at);
      throw error;
    }
    return at;
  }
}

async function runJson(folder, path) {
  const file = await folder.vouched(path);
  if (!file) return null;
  let read;
  try {
    read = JSON.parse(await runText(file, path));
  } catch {
    read = null;
  }
  if (!read || typeof read !== 'object' || Array.isArray(read)) throw new Error(`${path}: is no JSON object`);
  return read;
}

// ---- histories ----

function runNumber(text) {
  const number = { inf: Infinity, '-inf': -Infinity, nan: NaN }[text];
  return number ?? (text === '' ? undefined : Number(text));
}

// "iteration,warmup,...", and a row of numbers a line: { names, columns }. A last line that is not whole is left out.
export function runTable(text, name) {
  const lines = text.split('\n').map((line) => line.trimEnd());
  const names = lines[0].split(',');
  if (!names.every((one) => /^[a-z][\w]*$/i.test(one)))
    throw new Error(`${name}: its first line is "${lines[0].slice(0, 40)}"; expected the names of columns`);
  const rows = lines.slice(1, -1);
  const columns = names.map(() => new Float64Array(rows.length));
  rows.forEach((row, i) => {
    const values = row.split(',');
    if (values.length !== names.length)
      throw new Error(`${name}: row ${i} has ${values.length} values; expected ${names.length}`);
    values.forEach((value, k) => {
      const number = runNumber(value);
      if (number === undefined || (Number.isNaN(number) && value !== 'nan'))
        throw new Error(`${name}: row ${i}, ${names[k]}: "${value.slice(0, 20)}" is no number`);
      columns[k][i] = number;
    });
  });
  return { names, columns };
}

// So few points that they can be drawn at once: of each of some stretches the least and the largest.
function runThin(x, y) {
  if (x.length <= 2 * RUN_POINTS) return { x, y };
  const thin = { x: [], y: [] };
  for (let s = 0; s < RUN_POINTS; s++) {
    const from = Math.floor((s * x.length) / RUN_POINTS);
    const to = Math.floor(((s + 1) * x.length) / RUN_POINTS);
    let least = from;
    let most = from;
    for (let i = from + 1; i < to; i++) {
      if (y[i] < y[least]) least = i;
      if (y[i] > y[most]) most = i;
    }
    for (const i of [Math.min(least, most), Math.max(least, most)]) {
      thin.x.push(x[i]);
      thin.y.push(y[i]);
    }
  }
  return { x: Float64Array.from(thin.x), y: Float64Array.from(thin.y) };
}

// Which chain a history.csv without its folder is of: the manifest knows it by its checksum.
async function runPlace(folder, path, chains) {
  if (!folder.manifest) return null;
  const file = folder.files.get(path);
  const crc = await folder.checksum(file, path);
  for (let i = 0; i < chains; i++) {
    const place = `chain-${String(i).padStart(3, '0')}/history.csv`;
    if (folder.matches(place, file.size, crc)) return i;
  }
  throw new Error(`${path}: is not the history of any chain as the run left it`);
}

async function runHistory(folder, path, config) {
  const file = folder.files.get(path);
  if (file.size > RUN_MOST_HISTORY)
    throw new Error(`${path}: has ${runBytes(file.size)}; a page reads at most ${runBytes(RUN_MOST_HISTORY)} of it`);
  const numbered = path.match(/^chain-(\d+)\//);
  const chain = numbered ? Number(numbered[1]) : await runPlace(folder, path, config?.chains ?? 1000);
  if (numbered && folder.lists(path)) await folder.vouched(path);
  const { names, columns } = runTable(await runText(file, path), path);
  const rows = columns[0].length;
  const warmup = names.indexOf('warmup');
  const kept = warmup < 0 ? null : columns[warmup].reduce((sum, one) => sum + (one === 0), 0);
  const curves = {};
  names.forEach((name, k) => {
    if (k > 0) curves[name] = runThin(columns[0], columns[k]);
  });
  return { path, chain, rows, kept, by: names[0], curves };
}

async function runHistories(folder, config, problems) {
  const histories = [];
  for (const path of [...folder.files.keys()].filter((one) => one.endsWith('history.csv')).sort()) {
    try {
      histories.push(await runHistory(folder, path, config));
    } catch (error) {
      problems.push(error.message);
    }
  }
  const seen = new Set(histories.map((one) => one.chain));
  histories.forEach((one) => {
    if (one.chain !== null) return;
    for (one.chain = 0; seen.has(one.chain); one.chain++);
    seen.add(one.chain);
  });
  return histories.sort((a, b) => a.chain - b.chain);
}

// ---- what there is ----

function runMissing(folder, config, histories) {
  const has = (path) => folder.files.has(path);
  const sides = ['test', 'train'];
  const half = sides.find((side) => has(`logits_${side}.npy`) !== has(`labels_${side}.npy`));
  const lacks = half && (has(`logits_${half}.npy`) ? 'labels' : 'logits');
  if (half) return `logits_${half}.npy and labels_${half}.npy belong together: please add ${lacks}_${half}.npy.`;
  if (folder.manifest && sides.some((side) => folder.lists(`logits_${side}.npy`)))
    return 'There are no logits among these files: please add logits_test.npy and labels_test.npy of the same run.';
  if (folder.manifest || config || histories.length)
    return 'The run has not ended: it has no logits yet (logits_test.npy, logits_train.npy). '
      + 'kelvin resume RUN goes on with it, and kelvin eval RUN says what its chains that have ended are like.';
  return 'There are no logits among these files: a run folder has logits_test.npy and labels_test.npy.';
}

// A version of kelvin before 0.7 wrote folders without checksums.
function runIsOld(config) {
  const version = String(config?.kelvin ?? '').match(/^(\d+)\.(\d+)/);
  return Boolean(version && Number(version[1]) === 0 && Number(version[2]) < 7);
}

function runNotes(folder, config) {
  if (runIsOld(config))
    return [`The run was written by kelvin ${config.kelvin}, which kept no checksums: damage to it may not show.`];
  if (folder.manifest) return [];
  return ['Without the run\'s manifest, damage to these files may not show.'];
}

// What the small files say: settings, data, histories, which sides can be evaluated.
async function runRead(kelvin, { files, folder: name, example }) {
  const folder = new RunFolder(kelvin, files, name);
  const problems = [];
  const attempt = async (read) => {
    try {
      return await read();
    } catch (error) {
      problems.push(error.message);
      return null;
    }
  };
  try {
    await folder.open();
    const config = await attempt(() => runJson(folder, 'run.json'));
    const data = await attempt(() => runJson(folder, 'data.json'));
    const histories = await runHistories(folder, config, problems);
    const sides = ['test', 'train'].filter((side) => folder.files.has(`logits_${side}.npy`)
      && folder.files.has(`labels_${side}.npy`));
    return { config, data, histories, sides, problems, notes: example ? [] : runNotes(folder, config),
      missing: sides.length ? null : runMissing(folder, config, histories) };
  } finally {
    folder.close();
  }
}

// ---- chains ----

// Samples of each chain, where that can be told: a sampler that looks at all data draws in each iteration after the
// warm-up, others equally often in each chain that came to its end.
function runDraws(samples, config, histories) {
  const chains = config?.chains ?? histories.length;
  const all = histories.length === chains;
  if (!chains) return null;
  if (all && histories.every((one) => one.kept !== null)) return histories.map((one) => one.kept);
  if (config?.iterations != null) {
    const rows = all ? histories.map((one) => one.rows) : Array(chains).fill(config.iterations);
    return rows.map((n) => Math.max(0, n - (config.warmup ?? 0)));
  }
  const each = (config?.samples ?? samples) / chains;
  if (!all) return Array(chains).fill(each);
  const whole = config?.epochs ?? Math.max(...histories.map((one) => one.rows));
  const ended = histories.filter((one) => one.rows === whole).length;
  if (chains - ended > 1) return null;
  return histories.map((one) => (one.rows === whole ? each : samples - each * ended));
}

// The chain of each sample; null: not known.
export function runChains(samples, config, histories) {
  const draws = runDraws(samples, config, histories);
  const fits = draws?.every((n) => Number.isInteger(n) && n >= 0) && draws.reduce((a, b) => a + b, 0) === samples;
  if (!fits) return null;
  return draws.flatMap((n, chain) => Array(n).fill(chain));
}

// ---- evaluation ----

async function runShape(kelvin, folder, path) {
  const file = folder.files.get(path);
  const head = await runSlice(file, path, 0, RUN_HEAD);
  return kelvin.with((take) => {
    const at = take.room(12);
    folder.check(kelvin.c.explorer_run_shape(at, take.bytes(head), head.length, file.size, take.text(path)));
    const [samples, observations, classes] = kelvin.integers(at, 3);
    return { samples, observations, classes };
  });
}

function runCheckRoom(kelvin, folder, side, shape) {
  const files = folder.files.get(`logits_${side}.npy`).size + folder.files.get(`labels_${side}.npy`).size;
  const bytes = files + kelvin.c.explorer_run_memory(shape.samples, shape.observations);
  if (bytes > RUN_MOST_MEMORY)
    throw new Error(`logits_${side}.npy: ${shape.samples} samples at ${shape.observations} observations take `
      + `${runBytes(bytes)} to evaluate, and a page has room for ${runBytes(RUN_MOST_MEMORY)}: `
      + 'kelvin eval RUN does it');
}

function runCheckData(data, side, shape) {
  const classes = data?.classes?.length;
  const n = data?.[side];
  if (classes && classes !== shape.classes)
    throw new Error(`logits_${side}.npy: is of ${shape.classes} classes; expected ${classes}, as data.json has`);
  if (Number.isInteger(n) && n !== shape.observations)
    throw new Error(`logits_${side}.npy: is of ${shape.observations} observations; expected ${n}, as data.json has`);
}

function runResults(kelvin, run) {
  const { c } = kelvin;
  const counts = {};
  RUN_COUNTS.forEach((key, which) => {
    counts[key] = c.explorer_run_count(run, which);
  });
  return kelvin.with((take) => {
    const at = take.room(64);
    const read = (n, call) => {
      call(at);
      return Array.from(kelvin.doubles(at, n));
    };
    const metrics = runMetrics(kelvin).map((metric) => {
      const [ensemble, mean, error, low, median, high] = read(6, (out) =>
        c.explorer_run_metric(run, out, metric.index));
      const sizes = Array.from({ length: counts.sizes }, (_, k) =>
        read(4, (out) => c.explorer_run_size(run, out, k, metric.index)));
      return { ...metric, ensemble, mean, error, low, median, high, sizes };
    });
    const bins = (mass) => Array.from({ length: counts.bins }, (_, b) => {
      const [from, to, n, hits, confidence, low, high] = read(7, (out) => c.explorer_run_bin(run, out, mass, b));
      return { from, to, n, hits, confidence, low, high };
    });
    return { counts, metrics, width: bins(false), mass: bins(true) };
  });
}

function runEvaluateAt(kelvin, folder, side, bins, chain, places) {
  const run = kelvin.with((take) => folder.check(kelvin.c.explorer_run_evaluate(
    places[0], folder.files.get(`logits_${side}.npy`).size, take.text(`logits_${side}.npy`),
    places[1], folder.files.get(`labels_${side}.npy`).size, take.text(`labels_${side}.npy`),
    chain ? take.integers(chain) : 0, bins)));
  try {
    return runResults(kelvin, run);
  } finally {
    kelvin.c.explorer_run_free(run);
  }
}

async function runEvaluate(kelvin, { files, folder: name, side, bins, config, data, histories }) {
  const folder = new RunFolder(kelvin, files, name);
  const places = [];
  try {
    await folder.open();
    const shape = await runShape(kelvin, folder, `logits_${side}.npy`);
    runCheckData(data, side, shape);
    runCheckRoom(kelvin, folder, side, shape);
    for (const what of ['logits', 'labels']) places.push(await folder.load(`${what}_${side}.npy`));
    const chain = runChains(shape.samples, config, histories);
    const results = runEvaluateAt(kelvin, folder, side, bins, chain, places);
    return { ...results, side, chainsKnown: Boolean(chain) };
  } finally {
    for (const at of places) kelvin.c.explorer_free(at);
    folder.close();
  }
}

// ---- an example ----

const RUN_EXAMPLE = { model: 'mlp:10,10,10,10,10', density: 'categorical', prior: 'normal:1', temperature: 1,
  steps: 100, warmup: 100, iterations: 350, chains: 4, seed: 1 };

// One chain as its part of a run folder: the logits of its draws, and its history.
function runExampleChain(kelvin, number, points) {
  const { c } = kelvin;
  const how = RUN_EXAMPLE;
  const chain = kelvin.check(c.explorer_chain_create());
  try {
    return kelvin.with((take) => {
      const n = points.labels.length;
      kelvin.check(c.explorer_chain_begin_with(chain, take.text(how.model), take.text(how.density),
        take.text(how.prior), how.temperature, 0, how.steps, how.warmup, how.seed, number, take.floats(points.x),
        take.integers(points.labels), n, 0));
      const z = take.room(8 * n);
      const logits = [];
      let history = 'iteration,warmup,temperature,log_posterior,step_size\n';
      for (let i = 0; i < how.iterations; i++) {
        kelvin.check(c.explorer_chain_step(chain));
        const warming = i < how.warmup;
        history += `${i},${Number(warming)},${how.temperature},${c.explorer_chain_log_posterior(chain)},`
          + `${c.explorer_chain_step_size(chain)}\n`;
        if (warming) continue;
        c.explorer_chain_logits(chain, z);
        logits.push(kelvin.floats(z, 2 * n).slice());
      }
      return { logits, history };
    });
  } finally {
    c.explorer_chain_destroy(chain);
  }
}

function runArrayFile(kelvin, shape, parts) {
  const header = kelvin.with((take) => {
    const at = take.room(512);
    return kelvin.bytes(at, kelvin.c.explorer_array_header(at, ...shape)).slice();
  });
  return new Blob([header, ...parts]);
}

// A small posterior, sampled here: the first figure's points by a few chains, as the files of a run folder.
function runExample(kelvin) {
  const points = kelvin.with((take) => {
    const x = take.room(64 * 8);
    const y = take.room(64 * 4);
    const n = kelvin.c.explorer_toy(x, y);
    return { x: kelvin.floats(x, 2 * n).slice(), labels: kelvin.integers(y, n).slice() };
  });
  const n = points.labels.length;
  const chains = Array.from({ length: RUN_EXAMPLE.chains }, (_, i) => runExampleChain(kelvin, i, points));
  const logits = chains.flatMap((one) => one.logits);
  const config = { kelvin: kelvin.text(kelvin.c.explorer_version()), sampler: 'hmc', data: 'toy', ...RUN_EXAMPLE };
  return [
    { path: 'run.json', file: new Blob([JSON.stringify(config)]) },
    { path: 'logits_train.npy', file: runArrayFile(kelvin, [logits.length, n, 2], logits) },
    { path: 'labels_train.npy',
      file: runArrayFile(kelvin, [0, n, 0], [BigInt64Array.from(points.labels, (label) => BigInt(label))]) },
    ...chains.map(({ history }, i) => ({ path: `chain-00${i}/history.csv`, file: new Blob([history]) })),
  ];
}

export const runJobs = { runRead, runEvaluate, runExample };
