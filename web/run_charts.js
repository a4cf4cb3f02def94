// The pictures of a run: reliability, confidence, posterior size, histories. Shares are in per cent.

import { axes } from './plot.js';
import { colour } from './ui.js';

const RUN_FEW = 10; // fewer observations than this say little about a share
const RUN_COLOURS = 8;

function runBar(context, plot, from, to, low, high, fill, alpha = 1) {
  const left = plot.x(from) + 0.5;
  const right = plot.x(to) - 0.5;
  context.globalAlpha = alpha;
  context.fillStyle = fill;
  context.fillRect(left, plot.y(high), Math.max(right - left, 0.5), plot.y(low) - plot.y(high));
  context.globalAlpha = 1;
}

function runDot(context, x, y, fill, hollow, size = 3.5) {
  context.beginPath();
  context.arc(x, y, size, 0, 2 * Math.PI);
  context.fillStyle = hollow ? colour('--paper') : fill;
  context.strokeStyle = fill;
  context.lineWidth = 1.5;
  context.fill();
  context.stroke();
}

// ---- shares on a logarithmic axis ----

function runShareAxis(observations, label) {
  const floor = Math.log10(60 / observations); // somewhat below one of them
  const ticks = [];
  const step = floor < -1 ? 2 : 1;
  for (let power = 2; power >= floor; power -= step) ticks.push([power, String(Number((10 ** power).toPrecision(1)))]);
  return { from: floor, to: 2.18, label, ticks };
}

function runShareBars(context, plot, bins, count, observations, axis, fill) {
  plot.clip(() => {
    for (const bin of bins.filter(count)) {
      const share = Math.log10((100 * count(bin)) / observations);
      runBar(context, plot, 100 * bin.from, 100 * bin.to, axis.from, share, fill);
    }
  });
}

// ---- reliability ----

function runInterval(context, plot, at, bin) {
  context.strokeStyle = colour('--ink');
  context.lineWidth = 1;
  context.beginPath();
  context.moveTo(at, plot.y(100 * bin.low));
  context.lineTo(at, plot.y(100 * bin.high));
  context.stroke();
}

// Accuracy as bars, the confidence that was claimed as a line across each; what a bar lacks of it is faint.
function runReliabilityBars(context, plot, bins) {
  for (const bin of bins.filter((one) => one.n)) {
    const [from, to] = [100 * bin.from, 100 * bin.to];
    const hit = (100 * bin.hits) / bin.n;
    const sure = 100 * bin.confidence;
    runBar(context, plot, from, to, 0, hit, colour('--c0'), bin.n < RUN_FEW ? 0.35 : 1);
    if (sure > hit) runBar(context, plot, from, to, hit, sure, colour('--c1'), bin.n < RUN_FEW ? 0.15 : 0.32);
    plot.line([[from, sure], [to, sure]], { stroke: colour('--c1'), width: 2.5 });
    runInterval(context, plot, plot.x((from + to) / 2), bin);
  }
}

function runReliabilityPoints(context, plot, bins) {
  const shown = bins.filter((bin) => bin.n);
  const point = (bin) => [100 * bin.confidence, (100 * bin.hits) / bin.n];
  plot.line(shown.filter((bin) => bin.n >= RUN_FEW).map(point), { stroke: colour('--c0') });
  for (const bin of shown) {
    const [x, y] = point(bin);
    runInterval(context, plot, plot.x(x), bin);
    runDot(context, plot.x(x), plot.y(y), colour('--c0'), bin.n < RUN_FEW);
  }
}

// Bins of equally many observations lie close together where a network is confident: the chart goes where they are.
function runLeast(bins) {
  const shares = bins.filter((bin) => bin.n).flatMap((bin) => [100 * bin.confidence, (100 * bin.hits) / bin.n]);
  const least = Math.min(...shares, 99.5);
  return Math.max(-2, least - 0.15 * (100 - least));
}

export function runDrawReliability(context, width, height, { result, mass }) {
  const bins = mass ? result.mass : result.width;
  const from = mass ? runLeast(bins) : 0;
  const to = mass ? 100 + 0.03 * (100 - from) : 100;
  const split = mass ? height : Math.round(height * 0.68);
  const top = axes(context, width, split, {
    x: { from, to, label: mass ? 'confidence, %' : '' }, y: { from, to, label: 'accuracy, %' }, right: 16,
    bottom: mass ? 40 : 22 });
  if (mass) runReliabilityPoints(context, top, bins);
  else runReliabilityBars(context, top, bins);
  const least = Math.max(from, 0);
  top.line([[least, least], [100, 100]], { stroke: colour('--soft'), width: 1.5, dash: [5, 4] });
  if (mass) return;
  const n = result.counts.observations;
  const axis = runShareAxis(n, 'rows, %');
  context.save();
  context.translate(0, split);
  const low = axes(context, width, height - split,
    { x: { from, to, label: 'confidence, %' }, y: axis, right: 16, top: 6 });
  runShareBars(context, low, bins, (bin) => bin.n, n, axis, colour('--c7'));
  context.restore();
}

// ---- confidence ----

export function runDrawConfidence(context, width, height, { result }) {
  const n = result.counts.observations;
  const half = Math.round((height - 18) / 2);
  const axis = runShareAxis(n);
  const panels = [
    { label: 'right, %', count: (bin) => bin.hits, fill: colour('--c2'), top: 0, size: half, bottom: 22, name: '' },
    { label: 'wrong, %', count: (bin) => bin.n - bin.hits, fill: colour('--c1'), top: half, size: height - half,
      bottom: 40, name: 'confidence, %' }];
  for (const { label, count, fill, top, size, bottom, name } of panels) {
    context.save();
    context.translate(0, top);
    const plot = axes(context, width, size, { x: { from: 0, to: 100, label: name }, y: { ...axis, label },
      right: 16, top: 8, bottom });
    runShareBars(context, plot, result.width, count, n, axis, fill);
    context.restore();
  }
}

// ---- posterior size ----

// A range with some room, and not so small that rounding would be seen; within what a value can be.
function runRange(values, span, least = -Infinity, most = Infinity) {
  const finite = values.filter(Number.isFinite);
  if (!finite.length) return { from: 0, to: 1 };
  let from = finite.reduce((a, b) => Math.min(a, b), Infinity);
  let to = finite.reduce((a, b) => Math.max(a, b), -Infinity);
  const room = Math.max(0.06 * (to - from), (span - (to - from)) / 2, 1e-12 * Math.abs(to));
  from = Math.max(from - room, least - 0.03 * (to - from + room));
  to = Math.min(to + room, most + 0.03 * (to - from + room));
  return { from, to };
}

export function runDrawSizes(context, width, height, { metric }) {
  const { scale, sizes } = metric;
  const points = sizes.map(([n, mean, low, high]) =>
    ({ x: Math.log2(n), y: scale * mean, low: scale * low, high: scale * high }));
  const last = points[points.length - 1].x;
  const powers = Array.from({ length: Math.floor(last) + 1 }, (_, i) => [i, String(2 ** i)]);
  const every = Math.ceil(powers.length / (width / 55));
  const range = runRange(points.flatMap((p) => [p.low, p.high, p.y]), metric.unit === '%' ? 0.1 : 1e-3,
    scale * metric.least, scale * metric.most);
  const plot = axes(context, width, height, {
    x: { from: -0.15, to: Math.max(last, 0.5) + 0.15, label: 'samples in the ensemble',
      ticks: powers.filter((_, i) => i % every === 0) },
    y: { ...range, label: metric.unit ? `${metric.title}, ${metric.unit}` : metric.title }, left: 58 });
  plot.clip(() => {
    context.fillStyle = colour('--c0');
    context.globalAlpha = 0.18;
    context.beginPath();
    for (const p of points) context.lineTo(plot.x(p.x), plot.y(p.low));
    for (const p of [...points].reverse()) context.lineTo(plot.x(p.x), plot.y(p.high));
    context.fill();
    context.globalAlpha = 1;
  });
  plot.line(points.map((p) => [p.x, p.y]), { stroke: colour('--c0') });
  for (const p of points) runDot(context, plot.x(p.x), plot.y(p.y), colour('--c0'), false, 3);
}

// ---- histories ----

export function runDrawHistory(context, width, height, { histories, column, latter }) {
  const curves = histories.filter((one) => one.curves[column])
    .map((one) => ({ chain: one.chain, ...one.curves[column] }));
  if (!curves.length) return;
  const end = Math.max(...curves.map((one) => one.x[one.x.length - 1] ?? 0), 1);
  const from = latter ? end / 2 : 0;
  const seen = curves.flatMap((one) => Array.from(one.y).filter((_, i) => one.x[i] >= from));
  const plot = axes(context, width, height, {
    x: { from, to: end, label: histories[0].by },
    y: { ...runRange(seen, 1e-9), label: column.replaceAll('_', ' ') }, left: 62 });
  context.globalAlpha = curves.length > 4 ? 0.7 : 1;
  for (const one of curves)
    plot.line(Array.from(one.x, (x, i) => [x, one.y[i]]),
      { stroke: colour(`--c${one.chain % RUN_COLOURS}`), width: 1.25, dash: one.chain < RUN_COLOURS ? [] : [4, 2] });
  context.globalAlpha = 1;
}
