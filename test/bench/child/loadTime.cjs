// Run by n8n's Node.js in a new process: prints how many milliseconds it takes to load the files
// of the nodes (arguments) when n8n-workflow and zod are loaded already, as they are in n8n.
const { performance } = require('node:perf_hooks');

require('n8n-workflow');
require('zod/v4');

const started = performance.now();
for (const file of process.argv.slice(2)) require(file);
console.log(performance.now() - started);
