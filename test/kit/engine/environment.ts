import 'reflect-metadata';

import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// n8n-core reads these when it is loaded: a folder of its own for each worker, and a log that
// tests can read (see useLogs) and nobody else has to.
const folder = join(
	process.env.TEST_FOLDER ?? tmpdir(),
	`worker-${process.env.JEST_WORKER_ID ?? 1}`,
);
mkdirSync(folder, { recursive: true });

process.env.N8N_USER_FOLDER = folder;
process.env.N8N_ENCRYPTION_KEY = 'encryption-key-of-the-tests';
process.env.N8N_LOG_LEVEL = 'debug';
process.env.N8N_LOG_OUTPUT = 'file';
