// A worker: it gets the compiled module, and then either samples a chain or answers questions.

import { ChainWork } from './chain_work.js';
import { jobs } from './jobs.js';
import { Kelvin } from './kelvin.js';

const started = {};
started.kelvin = new Promise((resolve) => {
  started.with = (module) => resolve(Kelvin.start(module));
});
let chain = null;

self.onmessage = async ({ data }) => {
  if (data.kind === 'start') {
    started.with(data.module);
    return;
  }
  const kelvin = await started.kelvin;
  if (data.kind === 'ask') {
    try {
      const answer = await jobs[data.job](kelvin, data.question);
      self.postMessage({ kind: 'answer', id: data.id, answer });
    } catch (error) {
      self.postMessage({ kind: 'answer', id: data.id, error: error.message });
    }
    return;
  }
  chain ??= new ChainWork(kelvin, (message, transferred) => self.postMessage(message, transferred));
  chain.hear(data);
};
