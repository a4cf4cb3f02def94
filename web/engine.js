// The module for this browser, and workers that run it.

async function unpack(id) {
  const packed = Uint8Array.from(atob(document.getElementById(id).textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Response(stream).arrayBuffer();
}

// The relaxed build where a browser takes it, the plain one elsewhere: { module, relaxed }. ?plain in the address asks
// for the plain one.
export async function chooseModule() {
  if (!new URLSearchParams(location.search).has('plain')) {
    const bytes = await unpack('wasm-relaxed');
    if (WebAssembly.validate(bytes)) return { module: await WebAssembly.compile(bytes), relaxed: true };
  }
  const bytes = await unpack('wasm-plain');
  if (!WebAssembly.validate(bytes))
    throw new Error('this browser has no WebAssembly with vectors (SIMD); any of the last three years has');
  return { module: await WebAssembly.compile(bytes), relaxed: false };
}

let address = null;
export function startWorker(module) {
  address ??= URL.createObjectURL(
    new Blob([document.getElementById('worker').textContent], { type: 'text/javascript' }));
  const worker = new Worker(address);
  worker.postMessage({ kind: 'start', module });
  return worker;
}

// One worker that answers questions, one after the other: ask(job, question) is a promise. `only`: whoever asks the
// same again before the answer has come wants the new one alone; the old promise ends as null.
export function answerer(module) {
  let worker = null;
  let asked = 0;
  const waiting = [];
  let current = null;
  const next = () => {
    if (current || !waiting.length) return;
    current = waiting.shift();
    worker.postMessage({ kind: 'ask', id: current.id, job: current.job, question: current.question });
  };
  const hear = ({ data }) => {
    const { resolve, reject } = current;
    current = null;
    if (data.error) reject(new Error(data.error));
    else resolve(data.answer);
    next();
  };
  return (job, question, { only = false } = {}) => {
    if (!worker) {
      worker = startWorker(module);
      worker.onmessage = hear;
    }
    for (let i = waiting.length - 1; only && i >= 0; i--)
      if (waiting[i].job === job) waiting.splice(i, 1)[0].resolve(null);
    return new Promise((resolve, reject) => {
      waiting.push({ id: ++asked, job, question, resolve, reject });
      next();
    });
  };
}
