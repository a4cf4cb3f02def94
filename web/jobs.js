// What workers do when they are asked once, by name: job(kelvin, question) returns an answer that can be sent.

import { runJobs } from './run_jobs.js';
import { simplexJobs } from './simplex_jobs.js';

export const jobs = { ...runJobs, ...simplexJobs };
