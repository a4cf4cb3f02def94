// The page: starts the library, makes the parts, and keeps what they show in the address.

import { boundary } from './boundary.js';
import { answerer, chooseModule, startWorker } from './engine.js';
import { Kelvin } from './kelvin.js';
import { run } from './run.js';
import { simplex } from './simplex.js';
import { slices } from './slices.js';
import { readTables } from './tables.js';
import { button, element, savePicture } from './ui.js';

// A part is { key, title, create(app) }, and what it creates is { root, show(), hide(), state(), restore(state),
// canvases(), files() }: an element; called when it comes and goes; its state as an object of texts, and back (what is
// missing or makes no sense is as it is at first); its canvases; what can be saved besides, as [[button text, function
// that saves it]...].
const parts = [boundary, simplex, slices, run];

// What the library's bits are here, said at the foot of the page.
function sayBits(kelvin, relaxed) {
  const known = JSON.parse(document.getElementById('known').textContent);
  const found = (kelvin.c.explorer_known() >>> 0).toString(16).padStart(8, '0');
  const fused = Boolean(kelvin.c.explorer_fuses());
  const expected = known[fused ? 'fused' : 'plain'];
  const same = found === expected;
  const how = relaxed ? 'relaxed SIMD' : 'plain SIMD';
  let text = `The draws of a known chain (${found}, ${how}) are `;
  if (fused && same) text += 'the same bits as those of the library on a CPU with FMA.';
  else if (same) text += 'those of the library on a CPU without FMA: this browser does not fuse multiply-adds, so its '
    + 'chains differ in their last bits, and soon in all, from those on other machines; what they tell does not.';
  else if (!expected) text += 'not known: where this page was made, they could not be computed.';
  else text += 'not those of the library: please report this browser.';
  const place = document.getElementById('bits');
  place.textContent = text;
  place.dataset.known = found;
  place.dataset.same = same;
  place.dataset.fused = fused;
  document.getElementById('version').textContent = kelvin.text(kelvin.c.explorer_version());
}

// "#boundary?a=1&b=2"
function readAddress() {
  const [key, rest] = location.hash.slice(1).split('?');
  return { key, state: Object.fromEntries(new URLSearchParams(rest ?? '')) };
}

function writeAddress(key, state) {
  const text = new URLSearchParams(state).toString().replaceAll('%2C', ',').replaceAll('%3A', ':');
  return `#${key}${text ? `?${text}` : ''}`;
}

class Page {
  constructor(engine, kelvin) {
    this.shown = null;
    this.app = {
      kelvin,
      tables: readTables(kelvin),
      ask: answerer(engine.module),
      startWorker: () => startWorker(engine.module),
      changed: () => this.remember(),
    };
    this.made = new Map(parts.map((part) => [part.key, this.make(part)]));
    window.addEventListener('hashchange', () => this.follow());
    document.addEventListener('visibilitychange', () => {
      if (document.hidden) this.shown?.part.hide();
      else this.shown?.part.show();
    });
    this.follow();
  }

  make({ key, title, create }) {
    const part = create(this.app);
    const link = element('a', { href: `#${key}` }, title);
    const section = element('section', { id: key, 'aria-label': title, hidden: true }, part.root,
      this.sharing(key, part));
    link.addEventListener('click', (event) => {
      event.preventDefault();
      history.pushState(null, '', writeAddress(key, part.state()));
      this.show(key);
    });
    document.querySelector('nav').append(link);
    document.querySelector('main').append(section);
    return { key, part, link, section };
  }

  sharing(key, part) {
    const said = element('span', { class: 'note', role: 'status' });
    const copy = async () => {
      history.replaceState(null, '', writeAddress(key, part.state()));
      try {
        await navigator.clipboard.writeText(location.href);
        said.textContent = 'The address is copied: whoever opens it sees this.';
      } catch {
        said.textContent = 'The address of this page now has all that is shown: copy it from above.';
      }
    };
    const buttons = [
      button('Copy link', copy),
      button('Save PNG', () => {
        const canvases = part.canvases();
        said.textContent = canvases.length ? '' : 'There is no picture yet.';
        if (canvases.length) savePicture(`kelvin-${key}.png`, canvases);
      }),
      ...(part.files?.() ?? []).map(([text, save]) => button(text, save)),
    ];
    return element('div', { class: 'buttons share' }, ...buttons, said);
  }

  show(key) {
    const next = this.made.get(key) ?? this.made.get(parts[0].key);
    if (this.shown === next) return;
    if (this.shown) {
      this.shown.part.hide();
      this.shown.section.hidden = true;
      this.shown.link.removeAttribute('aria-current');
    }
    this.shown = next;
    next.section.hidden = false;
    next.link.setAttribute('aria-current', 'page');
    next.part.show();
  }

  // From the address to what is shown.
  follow() {
    const { key, state } = readAddress();
    const part = this.made.get(key);
    if (part && Object.keys(state).length) part.part.restore(state);
    this.show(key);
  }

  // From what is shown to the address, a moment after the last change: browsers allow few of them in a second.
  remember() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      if (this.shown) history.replaceState(null, '', writeAddress(this.shown.key, this.shown.part.state()));
    }, 300);
  }
}

async function start() {
  try {
    const engine = await chooseModule();
    const kelvin = await Kelvin.start(engine.module);
    window.explorer = new Page(engine, kelvin); // for the curious, and for tests
    sayBits(kelvin, engine.relaxed);
  } catch (error) {
    document.getElementById('bits').textContent = `The explorer could not start: ${error.message}.`;
    throw error;
  }
}

start();
