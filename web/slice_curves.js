// The curves of the slices, as the library computes them, and how they are written and coloured.

export const SLICE_POINTS = 401; // an odd number: p = 1/2 is one of them

const SUPERSCRIPT = { '-': '⁻', 0: '⁰', 1: '¹', 2: '²', 3: '³', 4: '⁴', 5: '⁵', 6: '⁶', 7: '⁷', 8: '⁸', 9: '⁹' };

function slicePower(exponent) {
  return `10${[...String(exponent)].map((digit) => SUPERSCRIPT[digit]).join('')}`;
}

// "0.00146", "1.41·10⁻⁹"
export function sliceNumber(value) {
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e5)) {
    const [digits, exponent] = value.toExponential(2).split('e').map(Number);
    const front = digits === 1 ? '' : digits === -1 ? '−' : `${digits}·`;
    return `${front}${slicePower(exponent)}`.replace('-', '−');
  }
  return String(Number(value.toPrecision(3))).replace('-', '−');
}

// A probability; as 1 minus something where that says more.
export function sliceProbability(kelvin, t) {
  const p = kelvin.c.explorer_slice_probability(t);
  return p < 0.9 ? sliceNumber(p) : `1 − ${sliceNumber(kelvin.c.explorer_slice_probability(-t))}`;
}

// The paper's axis: logits of the points and where they stand, its ends, which leave a twentieth free on both sides,
// and its ticks.
export function readSliceAxis(kelvin) {
  const { c } = kelvin;
  const t = Array.from({ length: SLICE_POINTS }, (_, i) => c.explorer_slice_logit(i, SLICE_POINTS));
  const x = t.map((logit) => c.explorer_slice_axis(logit));
  const edge = 1.1 * x[SLICE_POINTS - 1];
  const tick = (p, text, mirrored) => {
    const at = c.explorer_slice_axis(c.explorer_slice_logit_of(p));
    return [mirrored ? -at : at, text];
  };
  const ticks = [[0, '½']];
  for (const exponent of [-8, -3]) {
    ticks.push(tick(10 ** exponent, slicePower(exponent), false));
    ticks.push(tick(10 ** exponent, `1−${slicePower(exponent)}`, true));
  }
  return { t, x, from: -edge, to: edge, ticks };
}

// The point of the axis that is nearest to a place on it.
export function nearestSlicePoint(axis, place) {
  let low = 0;
  let high = axis.x.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (axis.x[middle] <= place) low = middle;
    else high = middle;
  }
  return place - axis.x[low] < axis.x[high] - place ? low : high;
}

// One list of curves in C. make(fill) has it filled by fill(c, list), and reads `curves`: { panel, name, member,
// density, likelihood, power, numbers, shift, values and drawn (SLICE_POINTS each), lowest, maxima: [{ t, x, y }] };
// where that fails there are none, and `sentence` says why.
export class SliceList {
  constructor(kelvin) {
    this.kelvin = kelvin;
    this.list = kelvin.check(kelvin.c.explorer_slices_create());
    this.curves = [];
    this.sentence = '';
  }

  make(fill) {
    const { kelvin, list } = this;
    try {
      kelvin.check(fill(kelvin.c, list));
      this.sentence = '';
    } catch (error) {
      this.sentence = error.message;
    }
    const n = kelvin.c.explorer_slices_count(list);
    this.curves = kelvin.with((take) => {
      const room = take.room(8 * SLICE_POINTS);
      return Array.from({ length: n }, (_, i) => this.read(i, room));
    });
  }

  read(i, room) {
    const { kelvin, list } = this;
    const { c } = kelvin;
    c.explorer_slice_values(list, i, room, SLICE_POINTS);
    const values = kelvin.doubles(room, SLICE_POINTS).slice();
    const shift = c.explorer_slice_shift(list, i);
    const drawn = values.map((value) => value + shift);
    const maxima = [...kelvin.doubles(c.explorer_slice_maximum(list, i), c.explorer_slice_maxima(list, i))];
    return {
      panel: c.explorer_slice_panel(list, i),
      name: kelvin.text(c.explorer_slice_name(list, i)),
      member: c.explorer_slice_member(list, i),
      density: kelvin.text(c.explorer_slice_density(list, i)),
      likelihood: Boolean(c.explorer_slice_has_likelihood(list, i)),
      power: c.explorer_slice_power(list, i),
      numbers: [0, 1].map((j) => c.explorer_slice_number(list, i, j)).filter((number) => number),
      shift,
      values,
      drawn,
      lowest: drawn.reduce((least, value) => Math.min(least, value)),
      maxima: maxima.map((t) => ({ t, x: c.explorer_slice_axis(t), y: c.explorer_slice_value(list, i, t) + shift })),
    };
  }
}

// A density has one look in all panels: the colours of the charts, and every other row of the table dashed, so that of
// two that lie on each other both are seen. What is cold is in ink.
export function sliceStyle(member, cold) {
  if (cold) return { colour: '--ink', dash: [] };
  return { colour: `--c${member % 8}`, dash: (member + Math.floor(member / 8)) % 2 ? [8, 5] : [] };
}

// All curves in one table, as the library's figure has them.
export function slicesToCsv(kelvin, axis, panels, curves) {
  const lines = ['panel,curve,density,likelihood,power,logit,probability,complement,axis,value,drawn'];
  const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
  for (const curve of curves) {
    const texts = [curve.label, curve.density].map(quoted);
    const head = [panels[curve.panel], ...texts, Number(curve.likelihood), curve.power];
    axis.t.forEach((t, k) => {
      const p = [t, -t].map((logit) => kelvin.c.explorer_slice_probability(logit));
      lines.push([...head, t, ...p, axis.x[k], curve.values[k], curve.drawn[k]].join(','));
    });
  }
  return `${lines.join('\n')}\n`;
}
