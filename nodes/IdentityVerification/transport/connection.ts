import type { IExecuteFunctions } from 'n8n-workflow';

import type { Service } from '../credential';
import type { PacedRun } from './gate';

/** What the requests of one node run share. */
export interface Connection {
	context: IExecuteFunctions;
	service: Service;
	/** How they wait for their turn. */
	run: PacedRun;
	/** How long the service may stay silent, in milliseconds. */
	timeoutMs: number;
}

/** An answer of any status. */
export interface Answer<Body> {
	statusCode: number;
	headers: Partial<Record<string, string>>;
	body: Body;
}
