import { join } from 'node:path';

/** Settings of an n8n that gives regular expressions the time that a busy machine needs. */
export const PATIENCE = { NODE_OPTIONS: `--require "${join(__dirname, 'patience.cjs')}"` };
