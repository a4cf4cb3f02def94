// Particles that climb a density over three classes: where they started, where they are, and the ways they came.

const MOST_PARTICLES = 600;
const MOST_TRAIL = 70; // points of a way
const TRAIL_STEP = 0.006; // between points of a way, in sides of the triangle
const LOOK_STEPS = 4; // gradient steps between two looks at where a particle is
const SIMPLEX_BYTES = 8; // bytes
const SIMPLEX_CLASSES = 3;

// Particles that were dropped together, in the memory of C.
class ParticleBatch {
  constructor(kelvin, n, fill) {
    this.kelvin = kelvin;
    this.n = n;
    this.z = kelvin.check(kelvin.c.explorer_alloc(n * SIMPLEX_CLASSES * SIMPLEX_BYTES));
    this.places = kelvin.check(kelvin.c.explorer_alloc(n * 2 * SIMPLEX_BYTES));
    fill(this.z);
    this.starts = kelvin.doubles(this.z, n * SIMPLEX_CLASSES).slice();
    this.restart();
  }

  restart() {
    this.kelvin.doubles(this.z, this.n * SIMPLEX_CLASSES).set(this.starts);
    this.step = 0;
    this.ended = false;
    this.trails = Array.from({ length: this.n }, () => []);
    this.look();
  }

  look() {
    this.kelvin.c.explorer_simplex_places(this.places, this.z, this.n);
    const at = this.kelvin.doubles(this.places, 2 * this.n);
    this.trails.forEach((trail, i) => {
      const [x, y] = [at[2 * i], at[2 * i + 1]];
      const last = trail.length;
      if (last && Math.hypot(x - trail[last - 2], y - trail[last - 1]) < TRAIL_STEP) return;
      trail.push(x, y);
      if (trail.length > 2 * MOST_TRAIL) trail.splice(0, 2);
    });
  }

  climb(density, steps, most) {
    const until = Math.min(most, this.step + steps);
    while (this.step < until) {
      const n = Math.min(LOOK_STEPS, until - this.step);
      this.kelvin.c.explorer_simplex_climb(density, this.z, this.n, n);
      this.step += n;
      this.look();
    }
    this.ended = this.step >= most;
  }

  // Whether particle i is nearer to another class than to the true one.
  isWrong(i) {
    return Boolean(this.kelvin.c.explorer_simplex_is_wrong(this.z + i * SIMPLEX_CLASSES * SIMPLEX_BYTES));
  }

  place(i) {
    return this.kelvin.doubles(this.places + 2 * i * SIMPLEX_BYTES, 2);
  }

  free() {
    this.kelvin.c.explorer_free(this.z);
    this.kelvin.c.explorer_free(this.places);
  }
}

export class Particles {
  constructor(kelvin) {
    this.kelvin = kelvin;
    this.most = kelvin.c.explorer_simplex_steps();
    this.batches = [];
    this.scattered = 0; // so many of the even starts have been used
    this.dropped = []; // places that people pointed at
  }

  add(n, fill) {
    this.batches.push(new ParticleBatch(this.kelvin, n, fill));
    while (this.count() > MOST_PARTICLES && this.batches.length > 1) this.batches.shift().free();
  }

  scatter(n) {
    const first = this.scattered;
    this.scattered += n;
    this.add(n, (z) => this.kelvin.c.explorer_simplex_scatter(z, 0, first, n));
  }

  // A few around a place: the seeds of a sunflower, so that none hides another.
  drop(x, y, n = 9) {
    const places = [];
    for (let i = 0; i < n; i++) {
      const [far, angle] = [0.011 * Math.sqrt(i), 2.39996 * i];
      places.push(x + far * Math.cos(angle), y + far * Math.sin(angle));
    }
    this.dropped.push([x, y]);
    this.kelvin.with((take) => {
      const at = take.doubles(places);
      this.add(n, (z) => this.kelvin.c.explorer_simplex_logits(z, at, n));
    });
  }

  clear() {
    for (const batch of this.batches) batch.free();
    this.batches = [];
    this.scattered = 0;
    this.dropped = [];
  }

  restart() {
    for (const batch of this.batches) batch.restart();
  }

  // Steps of all that have not ended; whether some are left.
  climb(density, steps) {
    for (const batch of this.batches) if (!batch.ended) batch.climb(density, steps, this.most);
    return this.climbing() > 0;
  }

  count() {
    return this.batches.reduce((sum, batch) => sum + batch.n, 0);
  }

  climbing() {
    return this.batches.reduce((sum, batch) => sum + (batch.ended ? 0 : batch.n), 0);
  }

  // { right, wrong } of those that have ended.
  ended() {
    const found = { right: 0, wrong: 0 };
    for (const batch of this.batches)
      for (let i = 0; batch.ended && i < batch.n; i++) found[batch.isWrong(i) ? 'wrong' : 'right']++;
    return found;
  }

  *each() {
    for (const batch of this.batches)
      for (let i = 0; i < batch.n; i++)
        yield { place: batch.place(i), trail: batch.trails[i], wrong: batch.isWrong(i), ended: batch.ended };
  }
}
