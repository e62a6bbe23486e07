import { join } from 'node:path';

/** Settings of an n8n that gives regular expressions the time that a busy machine needs. */
export const PATIENCE = { NODE_OPTIONS: `--require "${join(__dirname, 'patience.cjs')}"` };

/** Settings of an n8n that tells all that it can. */
export const TALKATIVE = { N8N_LOG_LEVEL: 'debug', N8N_LOG_OUTPUT: 'console' };

/** Settings of an n8n that deletes at once what it doesn't save; the last one is in minutes. */
export const DELETE_AT_ONCE = {
	EXECUTIONS_DATA_HARD_DELETE_BUFFER: '0',
	EXECUTIONS_DATA_PRUNE_HARD_DELETE_INTERVAL: '0.02',
};
