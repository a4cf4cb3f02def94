// The library's tables of densities and priors, as the page lists them, and the points of figure 1.

const FAMILIES = { densities: 0, priors: 1 };
const TEXTS = ['name', 'usage', 'about'];
const NUMBERS = ['least', 'most', 'above', 'below', 'whole', 'optional', 'usual'];

function readParameter(kelvin, family, i, j) {
  const parameter = { name: kelvin.text(kelvin.c.explorer_parameter_name(family, i, j)) };
  NUMBERS.forEach((key, which) => {
    parameter[key] = kelvin.c.explorer_parameter_number(family, i, j, which);
  });
  return parameter;
}

function readFamily(kelvin, key) {
  const family = FAMILIES[key];
  return Array.from({ length: kelvin.c.explorer_members(family) }, (_, i) => {
    const member = { index: i, parameters: [] };
    TEXTS.forEach((text, which) => {
      member[text] = kelvin.text(kelvin.c.explorer_member_text(family, i, which));
    });
    for (let j = 0; j < kelvin.c.explorer_parameters(family, i); j++)
      member.parameters.push(readParameter(kelvin, family, i, j));
    return member;
  });
}

// { densities, priors, paper, toy }: members with name, usage, about and parameters; what figure 1 is made of.
export function readTables(kelvin) {
  const { c } = kelvin;
  const densities = readFamily(kelvin, 'densities');
  const priors = readFamily(kelvin, 'priors');
  for (const density of densities) {
    density.seesLabel = Boolean(c.explorer_density_sees_label(density.index));
    density.hasCritical = Boolean(c.explorer_density_has_critical(density.index));
  }
  for (const prior of priors) prior.isProper = Boolean(c.explorer_prior_is_proper(prior.index));
  const paper = [];
  for (let i = 0; c.explorer_paper_label(i); i++)
    paper.push({
      label: kelvin.text(c.explorer_paper_label(i)),
      density: kelvin.text(c.explorer_paper_density(i)),
      stepSize: c.explorer_paper_step_size(i),
    });
  const toy = kelvin.with((take) => {
    const most = 64;
    const x = take.room(most * 8);
    const y = take.room(most * 4);
    const n = c.explorer_toy(x, y);
    const places = kelvin.floats(x, 2 * n);
    const labels = kelvin.integers(y, n);
    return Array.from({ length: n }, (_, i) => ({ x: places[2 * i], y: places[2 * i + 1], label: labels[i] }));
  });
  return { densities, priors, paper, toy };
}

// What is written between commas: as few digits as read back the same number.
export function formatNumber(value) {
  return String(Number(value.toPrecision(12)));
}

// "dirclip:0.85,-50"
export function spell(member, values) {
  if (!member.parameters.length) return member.name;
  return `${member.name}:${member.parameters.map((p, j) => formatNumber(values[j])).join(',')}`;
}

// A member's name and values from such a text; null if the name is not in the table.
export function unspell(members, text) {
  const [name, rest] = text.split(':');
  const member = members.find((m) => m.name === name);
  if (!member) return null;
  const given = rest ? rest.split(',').map(Number) : [];
  return { member, values: member.parameters.map((p, j) => (Number.isFinite(given[j]) ? given[j] : usual(p))) };
}

// The text of another member, with the values that parameters of the same names had before: `memory` is a Map of them.
export function carryOver(memory, { member, values }, next) {
  member.parameters.forEach((parameter, j) => memory.set(parameter.name, values[j]));
  return spell(next, next.parameters.map((parameter) => {
    const value = memory.get(parameter.name);
    return value > parameter.least && value < parameter.most ? value : usual(parameter);
  }));
}

// Where a slider begins and ends, whether it goes by ratios, and what its ends mean. Names say more than ranges do: a
// parameter that is not in this list still gets a slider, from its range alone.
const SLIDERS = {
  alpha: { from: 0, to: 2, usual: 0.6, hint: 'below 1: labels are clean; above 1: they are noisy' },
  clip: { from: -100, to: -1, usual: -50, hint: 'log-probabilities below this count as this' },
  T: { from: 1e-3, to: 1, usual: 0.1, ratio: true, hint: 'the smaller, the more confident' },
  nu: { from: 1, to: 30, usual: 3, ratio: true },
  s: { from: 0.05, to: 20, usual: 1, ratio: true, hint: 'how large weights may be' },
  t: { from: 0.05, to: 20, usual: 0.4, ratio: true },
};
const ENDLESS = 1e12; // a bound that nobody means

export function sliderOf(parameter) {
  const least = parameter.least <= -ENDLESS ? -Infinity : Math.abs(parameter.least) < 1 / ENDLESS ? 0 : parameter.least;
  const most = parameter.most >= ENDLESS ? Infinity : parameter.most;
  const known = SLIDERS[parameter.name];
  let slider;
  if (known && known.to <= most && known.to > least) slider = { ...known, from: Math.max(known.from, least) };
  else if (Number.isFinite(least) && Number.isFinite(most)) slider = { from: least, to: most };
  else if (least >= 0) slider = { from: Math.max(least, 1e-2), to: Math.max(100 * least, 1e2), ratio: true };
  else if (most <= 0) slider = { from: -100, to: Math.min(most, -1) };
  else slider = { from: -3, to: 3 };
  if (parameter.optional) slider.usual = parameter.usual;
  slider.usual ??= slider.ratio ? Math.sqrt(slider.from * slider.to) : (slider.from + slider.to) / 2;
  const step = (slider.to - slider.from) / 200;
  if (parameter.above && slider.from <= least) slider.from = slider.ratio ? 1e-3 * slider.to : least + step;
  if (parameter.below && slider.to >= most) slider.to = most - step;
  slider.whole = Boolean(parameter.whole);
  if (slider.whole) slider.usual = Math.round(slider.usual);
  return slider;
}

export function usual(parameter) {
  return sliderOf(parameter).usual;
}
