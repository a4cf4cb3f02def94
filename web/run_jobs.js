export const runJobs = {};
