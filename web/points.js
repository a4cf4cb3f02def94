// Sets of points of two classes: the presets, and texts that stand for them.

// Numbers that look random and are the same in every browser: a set is a function of its name.
function scatter(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// Around the middle of figure 1's points, and as wide as they are.
const MIDDLE = { x: 0.495, y: -0.465 };
const place = (x, y, label) => ({ x: MIDDLE.x + 0.34 * x, y: MIDDLE.y + 0.34 * y, label });

function moons() {
  const random = scatter(7);
  return Array.from({ length: 24 }, (_, i) => {
    const label = i % 2;
    const angle = Math.PI * (0.05 + 0.9 * (Math.floor(i / 2) / 11));
    const [x, y] = label ? [1 - Math.cos(angle), 0.4 - Math.sin(angle)] : [Math.cos(angle), Math.sin(angle)];
    const jitter = () => 0.16 * (random() - 0.5);
    return place(0.75 * (x - 0.5) + jitter(), 0.9 * (y - 0.2) + jitter(), label);
  });
}

function circles() {
  const random = scatter(11);
  return Array.from({ length: 24 }, (_, i) => {
    const label = i % 3 ? 0 : 1;
    const angle = (2 * Math.PI * i) / 24 + 0.4 * random();
    const radius = (label ? 0.36 : 1.08) + 0.14 * (random() - 0.5);
    return place(radius * Math.cos(angle), radius * Math.sin(angle), label);
  });
}

function xor() {
  const random = scatter(3);
  return Array.from({ length: 24 }, (_, i) => {
    const [sx, sy] = [i & 1 ? 1 : -1, i & 2 ? 1 : -1];
    return place(sx * (0.3 + 0.75 * random()), sy * (0.3 + 0.75 * random()), sx === sy ? 0 : 1);
  });
}

function noisy() {
  const random = scatter(21);
  return Array.from({ length: 30 }, (_, i) => {
    const [x, y] = [2.2 * (random() - 0.5), 2.2 * (random() - 0.5)];
    const truth = y > 0.25 * x ? 0 : 1;
    return place(x, y, i % 6 === 5 ? 1 - truth : truth);
  });
}

// [key, text, function of the tables that returns points]
export const PRESETS = [
  ['figure1', 'Figure 1', (tables) => tables.toy.map((point) => ({ ...point }))],
  ['moons', 'Moons', moons],
  ['circles', 'Circles', circles],
  ['xor', 'XOR', xor],
  ['noisy', 'Noisy labels', noisy],
];

const DIGITS = 3;
const rounded = (value) => Number(value.toFixed(DIGITS));

// "0.15_-0.39_0.25..." for each class, the classes apart by a dash that no number has.
export function pointsToText(points) {
  return [0, 1].map((label) => points.filter((p) => p.label === label)
    .map(({ x, y }) => `${rounded(x)}_${rounded(y)}`).join('_')).join('~');
}

export function pointsFromText(text) {
  const points = [];
  const halves = text.split('~');
  if (halves.length !== 2) return null;
  for (const label of [0, 1]) {
    if (!halves[label]) continue;
    const values = halves[label].split('_').map(Number);
    if (values.length % 2 || !values.every(Number.isFinite)) return null;
    for (let i = 0; i < values.length; i += 2) points.push({ x: values[i], y: values[i + 1], label });
  }
  return points.length ? points : null;
}

// For kelvin sample --data.
export function pointsToCsv(points) {
  return ['x0,x1,label', ...points.map(({ x, y, label }) => `${rounded(x)},${rounded(y)},${'AB'[label]}`), ''].join('\n');
}
