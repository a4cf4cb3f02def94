// Axes and curves on a canvas.

import { colour, shorten } from './ui.js';

// Round numbers between two others, about `count` of them.
export function ticks(from, to, count = 5) {
  const rough = (to - from) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough);
  const list = [];
  for (let i = Math.ceil(from / step); i * step <= to + 1e-9 * step; i++) list.push(Number((i * step).toPrecision(12)));
  return list;
}

// A frame with two axes. `x` and `y`: { from, to, label, ticks: [[value, text]...] or none }. Returns { x(value), y(value),
// box, line(points, style), clip(draw) } in pixels.
export function axes(context, width, height, { x, y, left = 46, right = 10, top = 10, bottom = 40 }) {
  const box = { left, top, right: width - right, bottom: height - bottom };
  const toX = (v) => box.left + ((v - x.from) / (x.to - x.from)) * (box.right - box.left);
  const toY = (v) => box.bottom - ((v - y.from) / (y.to - y.from)) * (box.bottom - box.top);
  const named = (axis, count) => axis.ticks ?? ticks(axis.from, axis.to, count).map((v) => [v, shorten(v)]);
  context.font = '12px system-ui, sans-serif';
  context.lineWidth = 1;
  context.strokeStyle = colour('--faint');
  context.fillStyle = colour('--soft');
  context.textAlign = 'center';
  context.textBaseline = 'top';
  for (const [value, text] of named(x, width < 420 ? 4 : 6)) {
    const at = toX(value);
    context.beginPath();
    context.moveTo(at, box.top);
    context.lineTo(at, box.bottom);
    context.stroke();
    context.fillText(text, at, box.bottom + 5);
  }
  context.textAlign = 'right';
  context.textBaseline = 'middle';
  for (const [value, text] of named(y, 5)) {
    const at = toY(value);
    context.beginPath();
    context.moveTo(box.left, at);
    context.lineTo(box.right, at);
    context.stroke();
    context.fillText(text, box.left - 6, at);
  }
  context.strokeStyle = colour('--soft');
  context.strokeRect(box.left, box.top, box.right - box.left, box.bottom - box.top);
  context.textAlign = 'center';
  context.textBaseline = 'bottom';
  if (x.label) context.fillText(x.label, (box.left + box.right) / 2, height - 3);
  if (y.label) {
    context.save();
    context.translate(12, (box.top + box.bottom) / 2);
    context.rotate(-Math.PI / 2);
    context.fillText(y.label, 0, 2);
    context.restore();
  }
  const clip = (draw) => {
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    context.clip();
    draw();
    context.restore();
  };
  const line = (points, { stroke, width: thick = 2, dash = [] }) => clip(() => {
    context.strokeStyle = stroke;
    context.lineWidth = thick;
    context.lineJoin = 'round';
    context.setLineDash(dash);
    context.beginPath();
    let down = false;
    for (const [px, py] of points) {
      if (!Number.isFinite(px) || !Number.isFinite(py)) {
        down = false;
        continue;
      }
      if (down) context.lineTo(toX(px), toY(py));
      else context.moveTo(toX(px), toY(py));
      down = true;
    }
    context.stroke();
    context.setLineDash([]);
  });
  return { x: toX, y: toY, box, line, clip };
}
