export const simplexJobs = {};
