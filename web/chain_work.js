// One chain in a worker: it samples in short spells, so that it hears soon, and sends what it found some times a
// second.

const SPELL = 20; // milliseconds between two looks at messages
const NEWS = 90; // and between two messages of its own

export class ChainWork {
  constructor(kelvin, send) {
    this.kelvin = kelvin;
    this.send = send;
    this.chain = kelvin.check(kelvin.c.explorer_chain_create());
    this.generation = 0;
    this.going = false;
    this.asleep = true;
    // A message to oneself comes back at once; a timer would sleep four milliseconds.
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => this.spell();
    this.again = () => port2.postMessage(0);
  }

  // `share`: of a core's time; the rest is left to others.
  hear(message) {
    if (message.kind === 'begin') this.begin(message);
    if (message.kind === 'lattice') this.setLattice(message);
    this.share = message.share ?? 1;
    this.going = message.kind !== 'pause' && !this.failed;
    if (this.going && this.asleep) {
      this.asleep = false;
      this.again();
    }
  }

  setLattice({ side, box }) {
    const { kelvin } = this;
    kelvin.with((take) => kelvin.check(kelvin.c.explorer_chain_lattice(this.chain, side, take.doubles(box))));
    this.side = side;
  }

  // What was drawn before is forgotten; with `stay` the chain goes on from where it is.
  begin({ generation, posterior: p, points, stay, most, lattice }) {
    const { kelvin } = this;
    Object.assign(this, { generation, most, points: points.length, fresh: [], said: 0, spent: 0, failed: false });
    try {
      if (lattice) this.setLattice(lattice);
      kelvin.with((take) => kelvin.check(kelvin.c.explorer_chain_begin_with(this.chain, take.text(p.model),
        take.text(p.density), take.text(p.prior), p.temperature, p.stepSize, p.steps, p.warmup, p.seed, p.chain,
        take.floats(points.flatMap(({ x, y }) => [x, y])), take.integers(points.map(({ label }) => label)),
        points.length, stay)));
      this.warmup = p.warmup;
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error) {
    this.failed = true;
    this.going = false;
    this.send({ kind: 'failed', generation: this.generation, error: error.message });
  }

  spell() {
    const { c } = this.kelvin;
    const end = performance.now() + SPELL;
    try {
      while (this.going && performance.now() < end) {
        const before = performance.now();
        this.kelvin.check(c.explorer_chain_step(this.chain));
        this.spent += performance.now() - before;
        this.keep();
        if (c.explorer_chain_draws(this.chain) >= this.most) this.going = false;
      }
    } catch (error) {
      this.fail(error);
    }
    const now = performance.now();
    if (!this.failed && (now - this.said > NEWS || !this.going)) {
      this.said = now;
      this.tell();
    }
    this.asleep = !this.going;
    if (this.going && this.share < 1) setTimeout(() => this.spell(), SPELL * (1 / this.share - 1));
    else if (this.going) this.again();
  }

  // What the last draw says of the points, for R-hat; draws of the warm-up are left out.
  keep() {
    const { c } = this.kelvin;
    if (c.explorer_chain_draws(this.chain) > 0)
      this.fresh.push(this.kelvin.doubles(c.explorer_chain_predictions(this.chain), this.points).slice());
  }

  tell() {
    const { kelvin, chain, side } = this;
    const { c } = kelvin;
    const map = Float32Array.from(kelvin.doubles(c.explorer_chain_map(chain), side * side));
    const entropy = Float32Array.from(kelvin.doubles(c.explorer_chain_entropy(chain), side * side));
    const predictions = Float64Array.from(this.fresh.flatMap((draw) => Array.from(draw)));
    this.fresh = [];
    this.send({
      kind: 'news',
      generation: this.generation,
      iteration: c.explorer_chain_iteration(chain),
      warmup: this.warmup,
      draws: c.explorer_chain_draws(chain),
      summed: c.explorer_chain_summed(chain),
      acceptance: c.explorer_chain_acceptance(chain),
      accuracy: c.explorer_chain_accuracy(chain),
      stepSize: c.explorer_chain_step_size(chain),
      gradients: c.explorer_chain_gradients(chain),
      spent: this.spent / 1000,
      resting: !this.going,
      predictions,
      map,
      entropy,
    }, [map.buffer, entropy.buffer, predictions.buffer]);
  }
}
