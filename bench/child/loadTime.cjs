// Run by n8n's Node.js in a new process: prints how many milliseconds it takes to load the files
// of the nodes (arguments) when n8n-workflow and zod are loaded already, as they are in n8n.
const { createRequire } = require('node:module');
const { performance } = require('node:perf_hooks');

const files = process.argv.slice(2);
// From here they'd be other copies than n8n's.
const requireOfPackage = createRequire(files[0]);
requireOfPackage('n8n-workflow');
requireOfPackage('zod/v4');

const started = performance.now();
for (const file of files) require(file);
console.log(performance.now() - started);
