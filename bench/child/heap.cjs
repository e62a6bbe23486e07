// Loaded into n8n: on SIGUSR2 it collects its garbage, and writes what memory is left to the file HEAP_FILE.
const { renameSync, writeFileSync } = require('node:fs');

const { HEAP_FILE } = process.env;

function report() {
	// Some garbage shows only when other garbage is gone.
	for (let time = 0; time < 3; time++) globalThis.gc();
	writeFileSync(`${HEAP_FILE}.new`, JSON.stringify(process.memoryUsage()));
	renameSync(`${HEAP_FILE}.new`, HEAP_FILE);
}

if (HEAP_FILE) process.on('SIGUSR2', report);
