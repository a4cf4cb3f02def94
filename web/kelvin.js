// The library in JavaScript: one instance of the WebAssembly module, its memory, its texts and its sentences.
//
//     const kelvin = await Kelvin.start(module);
//     const chain = kelvin.c.explorer_chain_create();
//     kelvin.with((take) => kelvin.check(kelvin.c.explorer_chain_lattice(chain, 96, take.doubles(box))));
//
// `c` has the functions of web/c/explorer.h by their names.

// What a C library asks of a system. A page has no files, no environment, no clock that matters.
const NOT_HERE = 52;
function systemCalls(memory) {
  const zero = (...places) => {
    for (const place of places) new DataView(memory().buffer).setUint32(place, 0, true);
    return 0;
  };
  const calls = {
    environ_sizes_get: zero,
    environ_get: () => 0,
    proc_exit: (code) => {
      throw new Error(`the library left with ${code}`);
    },
  };
  return new Proxy(calls, { get: (own, name) => own[name] ?? (() => NOT_HERE) });
}

export class Kelvin {
  static async start(module) {
    const kelvin = new Kelvin();
    const system = {};
    const calls = systemCalls(() => kelvin.memory);
    for (const { module: from, name } of WebAssembly.Module.imports(module)) (system[from] ??= {})[name] = calls[name];
    kelvin.c = (await WebAssembly.instantiate(module, system)).exports;
    kelvin.memory = kelvin.c.memory;
    return kelvin;
  }

  text(at) {
    if (!at) return null;
    const bytes = new Uint8Array(this.memory.buffer, at);
    return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
  }

  // Numbers where C has them: views that are good until the next call.
  doubles(at, n) {
    return new Float64Array(this.memory.buffer, at, n);
  }

  floats(at, n) {
    return new Float32Array(this.memory.buffer, at, n);
  }

  integers(at, n) {
    return new Int32Array(this.memory.buffer, at, n);
  }

  bytes(at, n) {
    return new Uint8Array(this.memory.buffer, at, n);
  }

  // A failure becomes an exception with the library's sentence.
  check(ok) {
    if (!ok) throw new Error(this.text(this.c.explorer_error()) || 'out of memory');
    return ok;
  }

  // Memory for the arguments of a call; it is freed when `use` returns.
  with(use) {
    const taken = [];
    const room = (bytes) => {
      const at = this.check(this.c.explorer_alloc(bytes));
      taken.push(at);
      return at;
    };
    const copy = (Type, view) => (values) => {
      const at = room(values.length * Type.BYTES_PER_ELEMENT);
      view.call(this, at, values.length).set(values);
      return at;
    };
    const take = {
      room,
      doubles: copy(Float64Array, this.doubles),
      floats: copy(Float32Array, this.floats),
      integers: copy(Int32Array, this.integers),
      bytes: copy(Uint8Array, this.bytes),
      text: (text) => take.bytes([...new TextEncoder().encode(text), 0]),
    };
    try {
      return use(take);
    } finally {
      for (const at of taken) this.c.explorer_free(at);
    }
  }
}
