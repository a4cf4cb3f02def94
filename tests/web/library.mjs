// The explorer's WebAssembly under Node, against the library on this machine:
//
//     node library.mjs MODULE.wasm fused|plain KNOWN.json FAMILIES.json FIGURE FIGURE.csv
//
// MODULE is one of the page's two builds; KNOWN what the native build says of the known chain; FAMILIES what `kelvin info
// --json` prints; FIGURE how `kelvin figure decision-boundary` was called, as "seed,chains,iterations,steps,grid", and
// FIGURE.csv its map.
import fs from 'node:fs';

import { Kelvin } from '../../web/kelvin.js';
import { readTables, sliderOf, spell, unspell, usual } from '../../web/tables.js';

const [path, build, knownPath, familiesPath, figure, csv] = process.argv.slice(2);
let passed = 0;
let failed = 0;

function check(what, ok, found = '') {
  if (ok) passed++;
  else {
    failed++;
    console.log(`FAILED: ${what} ${found}`);
  }
}

function refuses(what, call, part) {
  try {
    call();
    check(what, false, 'was taken');
  } catch (error) {
    check(what, error.message.includes(part), `said: ${error.message}`);
  }
}

const kelvin = await Kelvin.start(await WebAssembly.compile(fs.readFileSync(path)));
const { c } = kelvin;

// ---- the same bits ----
const known = JSON.parse(fs.readFileSync(knownPath, 'utf8'));
const found = (c.explorer_known() >>> 0).toString(16).padStart(8, '0');
check('multiply-adds are fused where they should be', Boolean(c.explorer_fuses()) === (build === 'fused'));
if (known[build]) check('the known chain has the bits of the native library', found === known[build], `${found}, ${known[build]}`);
check('fused and not fused are told apart', known.fused !== known.plain);
check('a second time they are the same', (c.explorer_known() >>> 0).toString(16).padStart(8, '0') === found);

// ---- the tables ----
const tables = readTables(kelvin);
const families = JSON.parse(fs.readFileSync(familiesPath, 'utf8'));
for (const key of ['densities', 'priors']) {
  const theirs = families[key].map((m) => m.usage).join(' ');
  check(`all ${key} are there`, tables[key].map((m) => m.usage).join(' ') === theirs, theirs);
  for (const member of tables[key]) {
    const values = member.parameters.map(usual);
    const read = unspell(tables[key], spell(member, values));
    check(`${member.name} is read back`, read.member === member && read.values.every((v, j) => v === values[j]));
    member.parameters.forEach((p) => {
      const { from, to, usual: middle } = sliderOf(p);
      const inside = (v) => v >= p.least && v <= p.most && !(p.above && v === p.least) && !(p.below && v === p.most);
      check(`the slider of ${member.name}'s ${p.name}`, from < to && [from, to, middle].every(inside)
        && middle >= from && middle <= to, `${from} ${middle} ${to}`);
    });
  }
}
check('the points of figure 1', tables.toy.length === 18 && tables.toy.filter((p) => p.label === 0).length === 9);

// ---- the map of figure 1, after the same draws ----
function begin(chain, how, points) {
  kelvin.with((take) => kelvin.check(c.explorer_chain_begin_with(chain, take.text(how.model ?? 'mlp:10,10,10,10,10'),
    take.text(how.density), take.text(how.prior ?? 'normal:1'), how.temperature ?? 1, how.stepSize, how.steps, how.warmup,
    how.seed, how.chain, take.floats(points.flatMap(({ x, y }) => [x, y])),
    take.integers(points.map(({ label }) => label)), points.length, how.stay ?? false)));
}

function lattice(chain, side, box) {
  kelvin.with((take) => kelvin.check(c.explorer_chain_lattice(chain, side, take.doubles(box))));
}

const rows = fs.readFileSync(csv, 'utf8').split('\n').filter((line) => line && !/^[#x]/.test(line))
  .map((line) => line.split(',').map(Number));
const [seed, chains, iterations, steps, side] = figure.split(',').map(Number);
const box = [...rows[0].slice(0, 2), ...rows.at(-1).slice(0, 2)];
tables.paper.forEach(({ density, stepSize }, i) => {
  const sum = new Float64Array(side * side);
  const warmup = Math.floor((iterations * 3) / 10);
  for (let number = 0; number < chains; number++) {
    const chain = c.explorer_chain_create();
    lattice(chain, side, box);
    begin(chain, { density, stepSize, steps, warmup, seed, chain: number }, tables.toy);
    for (let k = 0; k < iterations; k++) kelvin.check(c.explorer_chain_step(chain));
    check('draws are those after the warm-up', c.explorer_chain_draws(chain) === iterations - warmup
      && c.explorer_chain_summed(chain) === iterations - warmup);
    kelvin.doubles(c.explorer_chain_map(chain), side * side).forEach((v, j) => { sum[j] += v; });
    c.explorer_chain_destroy(chain);
  }
  const difference = rows.reduce((all, row, j) => all + Math.abs(row[2 + i] - sum[j] / (chains * (iterations - warmup))), 0)
    / rows.length;
  // Six digits are in the file: half a unit of the last is at most 5e-7. Without fused multiply-adds draws are others.
  if (build === 'fused' && known.fused) check(`the map of ${density}`, difference < 5e-7, `differs by ${difference} on average`);
  else check(`another map of ${density}`, difference > 0 && difference < 0.5, `differs by ${difference}`);
});

// ---- chains that go on, and what is refused ----
const chain = c.explorer_chain_create();
const usualChain = { density: 'dirclip:0.6,-50', stepSize: 0, steps: 50, warmup: 8, seed: 1, chain: 0 };
lattice(chain, 8, box);
begin(chain, usualChain, tables.toy);
const theta = () => kelvin.floats(c.explorer_chain_theta(chain), c.explorer_chain_parameters(chain)).slice();
const first = theta();
for (let k = 0; k < 12; k++) kelvin.check(c.explorer_chain_step(chain));
const last = theta();
check('a chain moves', last.some((v, i) => v !== first[i]));
const predictions = kelvin.doubles(c.explorer_chain_predictions(chain), 18);
check('predictions are probabilities', predictions.every((p) => p >= 0 && p <= 1));
const entropy = kelvin.doubles(c.explorer_chain_entropy(chain), 64);
const summed = c.explorer_chain_summed(chain);
check('entropies are those of two classes', entropy.every((h) => h >= 0 && h <= summed * Math.LN2 + 1e-6));
begin(chain, { ...usualChain, density: 'categorical', stay: true }, tables.toy.slice(3));
check('it stays where it is when the posterior changes', theta().every((v, i) => v === last[i]));
check('what was drawn is forgotten', c.explorer_chain_summed(chain) === 0 && c.explorer_chain_iteration(chain) === 0);
begin(chain, { ...usualChain, model: 'mlp:4', stay: true }, tables.toy);
check('another network begins at random', c.explorer_chain_parameters(chain) === 4 * 3 + 2 * 5);
begin(chain, { ...usualChain, stay: false }, tables.toy);
check('so does a chain that starts anew', theta().every((v, i) => v === first[i]));
refuses('an unknown density', () => begin(chain, { ...usualChain, density: 'dirclp:1' }, tables.toy), 'did you mean');
refuses('a temperature of 0', () => begin(chain, { ...usualChain, temperature: 0 }, tables.toy), 'temperature');
refuses('no points', () => begin(chain, usualChain, []), 'points');
refuses('a label that is none', () => begin(chain, usualChain, [{ x: 0, y: 0, label: 2 }]), 'label 2');
refuses('a place that is none', () => begin(chain, usualChain, [{ x: NaN, y: 0, label: 1 }]), 'point 0');
refuses('a network that is none', () => begin(chain, { ...usualChain, model: 'mpl:3' }, tables.toy), 'mpl');
refuses('a step after that', () => kelvin.check(c.explorer_chain_step(chain)), 'has not begun');
c.explorer_chain_destroy(chain);

console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed ? 1 : 0;
