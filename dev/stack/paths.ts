import { join } from 'node:path';

/** The repository's folder. */
export const ROOT = join(__dirname, '..', '..');

export const N8N_MODULES = join(ROOT, process.env.N8N_FOLDER ?? 'dev/n8n', 'node_modules');

/**
 * The Node.js that n8n needs, and n8n's own program; `N8N_FOLDER` takes another n8n than `dev/n8n`.
 */
export const N8N_NODE = join(N8N_MODULES, 'node', 'bin', 'node');
export const N8N_PROGRAM = join(N8N_MODULES, 'n8n', 'bin', 'n8n');

/** A made-up ID card, to scan in demonstrations and tests. */
export const SPECIMEN = join(ROOT, 'dev', 'specimen.jpg');
