// What the parts of the page are built of: elements, sliders, canvases that are as sharp as the screen.

// element('p', { class: 'note' }, 'text', other) makes an element; keys that begin with "on" are listeners.
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

let made = 0;
export function freshId() {
  return `id${++made}`;
}

export function shorten(value) {
  if (value === 0 || !Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  return size >= 1e4 || size < 1e-3 ? value.toExponential(1) : String(Number(value.toPrecision(3)));
}

// A slider beside a number that can be typed. `range`: { from, to, ratio, whole, hint }; by ratios if `ratio`. The number
// may lie outside of the slider, but not of `least` and `most`, where these are said. Returns { root, value, set(value) }; `changed(value)` is called for what people do.
export function slider({ label, range, value, changed, title }) {
  const STOPS = 1000;
  const id = freshId();
  const toStop = (v) => {
    const share = range.ratio
      ? Math.log(v / range.from) / Math.log(range.to / range.from)
      : (v - range.from) / (range.to - range.from);
    return Math.round(STOPS * Math.min(1, Math.max(0, share || 0)));
  };
  const fromStop = (stop) => {
    const share = stop / STOPS;
    const v = range.ratio ? range.from * (range.to / range.from) ** share : range.from + (range.to - range.from) * share;
    return range.whole ? Math.round(v) : Number(v.toPrecision(3));
  };
  const stops = element('input', { type: 'range', min: 0, max: STOPS, step: range.whole ? 1 : 5, id, title });
  const number = element('input', { type: 'number', step: 'any', 'aria-label': `${label}, as a number` });
  const self = {
    root: element('div', { class: 'field' },
      element('div', { class: 'line' }, element('label', { for: id }, label), number), stops,
      ...(range.hint ? [element('span', { class: 'hint' }, range.hint)] : [])),
    value,
    set(to) {
      self.value = to;
      stops.value = toStop(to);
      stops.setAttribute('aria-valuetext', shorten(to));
      if (document.activeElement !== number) number.value = shorten(to);
    },
  };
  stops.addEventListener('input', () => {
    self.set(fromStop(Number(stops.value)));
    changed(self.value);
  });
  number.addEventListener('change', () => {
    if (number.value === '' || !Number.isFinite(Number(number.value))) {
      number.value = shorten(self.value);
      return;
    }
    const typed = Math.min(range.most ?? Infinity, Math.max(range.least ?? -Infinity, Number(number.value)));
    self.set(range.whole ? Math.round(typed) : typed);
    number.value = String(self.value);
    changed(self.value);
  });
  self.set(value);
  return self;
}

// `options`: [value, text] pairs. Returns { root, value, set(value) }.
export function choice({ label, options, value, changed }) {
  const id = freshId();
  const select = element('select', { id }, ...options.map(([key, text]) => element('option', { value: key }, text)));
  const self = {
    root: element('div', { class: 'field' }, element('label', { for: id }, label), select),
    value,
    set(to) {
      self.value = to;
      select.value = to;
    },
  };
  select.addEventListener('change', () => {
    self.value = select.value;
    changed(self.value);
  });
  self.set(value);
  return self;
}

export function button(text, clicked, attributes = {}) {
  return element('button', { type: 'button', onclick: clicked, ...attributes }, text);
}

// Buttons of which one is pressed. `options`: [value, text] pairs.
export function switches({ label, options, value, changed }) {
  const buttons = new Map(options.map(([key, text]) => [key, button(text, () => { self.set(key); changed(key); })]));
  const self = {
    root: element('div', { class: 'buttons', role: 'group', 'aria-label': label }, ...buttons.values()),
    value,
    set(to) {
      self.value = to;
      for (const [key, one] of buttons) one.setAttribute('aria-pressed', key === to);
    },
  };
  self.set(value);
  return self;
}

// A list of numbers with names. Returns { root, set(name, text), clear() }; names appear in the order in which they are
// first set.
export function numberList() {
  const root = element('dl', { class: 'numbers' });
  const values = new Map();
  return {
    root,
    set(name, text) {
      if (!values.has(name)) {
        const value = element('dd');
        values.set(name, value);
        root.append(element('div', {}, element('dt', {}, name), value));
      }
      if (values.get(name).textContent !== text) values.get(name).textContent = text;
    },
    clear() {
      for (const value of values.values()) value.textContent = '–';
    },
  };
}

// A canvas `shape` = height / width, drawn again by draw(context, width, height) in CSS pixels whenever its size or the
// colours change, and when ask() says that there is something new: at most once a frame, and only where it is seen.
export function stage({ label, shape, draw, still = false }) {
  const canvas = element('canvas', { role: 'img', 'aria-label': label, class: still ? 'still' : '' });
  const context = canvas.getContext('2d');
  let waiting = false;
  const paint = () => {
    waiting = false;
    const width = canvas.clientWidth;
    if (!width) return;
    const height = Math.round(width * (typeof shape === 'function' ? shape(width) : shape));
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
      canvas.width = Math.round(width * ratio);
      canvas.height = Math.round(height * ratio);
      canvas.style.height = `${height}px`;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    draw(context, width, height);
  };
  const ask = () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(paint);
  };
  new ResizeObserver(ask).observe(canvas);
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', ask);
  return { canvas, ask, paint };
}

// A colour of the style sheet by its name, as "--ink"; rgb: as [red, green, blue]. They are remembered, since to ask for
// one costs a look at all styles, until light turns to dark.
const colours = new Map();
export function colour(name) {
  if (!colours.has(name)) colours.set(name, getComputedStyle(document.documentElement).getPropertyValue(name).trim());
  return colours.get(name);
}
globalThis.matchMedia?.('(prefers-color-scheme: dark)').addEventListener('change', () => colours.clear());

export function rgb(name) {
  const hex = colour(name).replace('#', '');
  const full = hex.length === 3 ? [...hex].map((d) => d + d).join('') : hex;
  return [0, 2, 4].map((i) => parseInt(full.slice(i, i + 2), 16));
}

export function save(name, blob) {
  const link = element('a', { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

export function saveCsv(name, text) {
  save(name, new Blob([text], { type: 'text/csv' }));
}

// Several canvases side by side as one PNG, on the page's paper.
export function savePicture(name, canvases) {
  if (!canvases.length) return Promise.resolve(null);
  const gap = 16;
  const width = canvases.reduce((sum, c) => sum + c.width + gap, gap);
  const height = Math.max(...canvases.map((c) => c.height)) + 2 * gap;
  const sheet = element('canvas', { width, height });
  const context = sheet.getContext('2d');
  context.fillStyle = colour('--paper');
  context.fillRect(0, 0, width, height);
  let left = gap;
  for (const one of canvases) {
    context.drawImage(one, left, gap);
    left += one.width + gap;
  }
  return new Promise((resolve) => sheet.toBlob((blob) => { save(name, blob); resolve(blob); }, 'image/png'));
}

// The words of a part: three sentences, and where the paper says it.
export function words(sentences, paper) {
  return element('div', { class: 'words' }, element('p', {}, sentences), element('p', { class: 'paper' }, paper));
}
