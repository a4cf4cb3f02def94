// The chains of one posterior: workers, what they have found so far, and what that comes to together.

// R-hat is taken at so many points at most, and as often as this, in milliseconds.
const RHAT_POINTS = 40;
const RHAT_PAUSE = 400;

export class Chains {
  // `heard()` is called when something new has come.
  constructor(app, { side, box, heard }) {
    Object.assign(this, { app, side, box, heard });
    this.workers = [];
    this.generation = 0;
    this.going = false;
  }

  // Begins anew: `posterior` without its chain, `points`, how many chains, draws after which a chain rests.
  begin({ posterior, points, chains, most, stay }) {
    this.generation++;
    this.error = null;
    this.rhat = NaN;
    this.points = points.length;
    while (this.workers.length > chains) this.workers.pop().terminate();
    const fresh = this.workers.length;
    while (this.workers.length < chains) this.workers.push(this.hire(this.workers.length));
    this.news = this.workers.map(() => null);
    this.draws = this.workers.map(() => []);
    this.sums = new Float64Array(this.points);
    this.began = performance.now();
    this.workers.forEach((worker, chain) => worker.postMessage({
      kind: 'begin',
      generation: this.generation,
      posterior: { ...posterior, chain },
      points,
      most,
      stay: stay && chain < fresh,
      lattice: chain < fresh ? null : { side: this.side, box: this.box },
    }));
    if (!this.going) this.pause();
  }

  hire(chain) {
    const worker = this.app.startWorker();
    worker.onmessage = ({ data }) => {
      if (data.generation !== this.generation) return; // of what was before the last change
      if (data.kind === 'failed') this.error = data.error;
      else {
        this.news[chain] = data;
        for (let i = 0; i < data.predictions.length; i += this.points)
          this.draws[chain].push(data.predictions.subarray(i, i + this.points));
        data.predictions.forEach((p, i) => { this.sums[i % this.points] += p; });
      }
      this.heard();
    };
    worker.onerror = (event) => {
      this.error = event.message || 'a worker could not be started';
      this.heard();
    };
    return worker;
  }

  // `share`: of a core's time that each chain takes at most.
  go(share = 1) {
    this.going = true;
    for (const worker of this.workers) worker.postMessage({ kind: 'go', share });
  }

  pause() {
    this.going = false;
    for (const worker of this.workers) worker.postMessage({ kind: 'pause' });
  }

  present() {
    return this.news.filter(Boolean);
  }

  // Whether all chains are past their warm-up; what the map shows before is on its way.
  settled() {
    return this.news.length > 0 && this.news.every((one) => one && one.draws > 0);
  }

  resting() {
    return this.news.length > 0 && this.news.every((one) => one && one.resting);
  }

  // Means over all draws that chains have summed up: { p, aleatoric } (side, side) each, or null. A chain that still
  // warms up is left out once another one has settled.
  maps() {
    const present = this.present().filter((one) => one.summed > 0);
    const settled = present.filter((one) => one.draws > 0);
    const used = settled.length ? settled : present;
    if (!used.length) return null;
    const size = this.side * this.side;
    const p = new Float64Array(size);
    const aleatoric = new Float64Array(size);
    const all = used.reduce((sum, one) => sum + one.summed, 0);
    for (const one of used)
      for (let i = 0; i < size; i++) {
        p[i] += one.map[i] / all;
        aleatoric[i] += one.entropy[i] / all;
      }
    return { p, aleatoric };
  }

  mean(name) {
    const present = this.present();
    return present.reduce((sum, one) => sum + one[name], 0) / present.length;
  }

  total(name) {
    return this.present().reduce((sum, one) => sum + one[name], 0);
  }

  // R-hat in function space: of the probability of class 0, the mean over points. Not a number of fewer than two
  // chains.
  functionRhat() {
    const now = performance.now();
    if (this.measured === this.generation && now - this.measuredAt < RHAT_PAUSE) return this.rhat;
    this.measured = this.generation;
    this.measuredAt = now;
    const { kelvin } = this.app;
    const n = Math.min(...this.draws.map((draws) => draws.length));
    const chains = this.draws.length;
    if (chains < 2 || n < 2) return (this.rhat = NaN);
    const points = this.draws[0][0].length;
    const step = Math.max(1, Math.ceil(points / RHAT_POINTS));
    let sum = 0;
    let counted = 0;
    kelvin.with((take) => {
      const at = take.room(chains * n * 8);
      for (let point = 0; point < points; point += step, counted++) {
        const x = kelvin.doubles(at, chains * n);
        this.draws.forEach((draws, c) => {
          for (let i = 0; i < n; i++) x[c * n + i] = draws[i][point];
        });
        sum += kelvin.c.explorer_rhat(at, chains, n);
      }
    });
    return (this.rhat = sum / counted);
  }

  // The probability of class 0 at each point, over all draws.
  meanPredictions() {
    const n = this.draws.reduce((sum, draws) => sum + draws.length, 0);
    return this.sums.map((sum) => sum / n);
  }

  // What still comes of what was before is dropped.
  forget() {
    this.pause();
    this.generation++;
    this.news = [];
    this.error = null;
  }

  // Leapfrog steps a second of one chain while it computed.
  speed() {
    const spent = this.total('spent');
    return spent > 0 ? this.total('gradients') / spent : NaN;
  }
}
