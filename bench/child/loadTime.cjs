// Run by n8n's Node.js in a new process: prints how many milliseconds of CPU time it takes to load
// files (arguments) when n8n-workflow and zod are loaded already, as they are in n8n.
const { createRequire } = require('node:module');

const files = process.argv.slice(2);
// From here they'd be other copies than n8n's.
const requireOfPackage = createRequire(files[0]);
requireOfPackage('n8n-workflow');
requireOfPackage('zod/v4');

const before = process.cpuUsage();
for (const file of files) require(file);
const { user, system } = process.cpuUsage(before);
console.log((user + system) / 1_000);
