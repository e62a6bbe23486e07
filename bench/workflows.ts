import { randomUUID } from 'node:crypto';

import type { WorkflowFile } from '../dev/stack/api';

/** A node of a workflow to be built, and the names of the nodes behind each of its outputs. */
export interface Step {
	name: string;
	type: string;
	typeVersion: number;
	parameters: object;
	/** Types of the credentials that it uses. */
	credentials?: string[];
	to?: string[][];
}

const PACKAGE = 'n8n-nodes-identity-verification';

/** Builds a workflow of these nodes; its ID comes from its name. */
export function workflowOf(
	name: string,
	steps: Step[],
	credentialIds: Record<string, string>,
	settings: object = {},
): WorkflowFile & { connections: object } {
	return {
		id: name.replace(/\W/g, '').slice(0, 16),
		name,
		nodes: steps.map(({ name, type, typeVersion, parameters, credentials = [] }, index) => ({
			id: randomUUID(),
			name,
			type,
			typeVersion,
			position: [index * 200, 0],
			webhookId: randomUUID(),
			parameters: { ...parameters },
			credentials: Object.fromEntries(
				credentials.map((kind) => [kind, { id: credentialIds[kind] ?? null, name: kind }]),
			),
		})),
		connections: Object.fromEntries(
			steps.map(({ name, to = [] }) => [
				name,
				{ main: to.map((names) => names.map((node) => ({ node, type: 'main', index: 0 }))) },
			]),
		),
		settings: { executionOrder: 'v1', ...settings },
	};
}

export function webhookStep(parameters: object, to: string[][], credentials?: string[]): Step {
	const type = 'n8n-nodes-base.webhook';
	const fixed = { httpMethod: 'POST', options: {} };
	return {
		name: 'Webhook',
		type,
		typeVersion: 2.1,
		parameters: { ...fixed, ...parameters },
		credentials,
		to,
	};
}

export function noOpStep(name = 'Done'): Step {
	return { name, type: 'n8n-nodes-base.noOp', typeVersion: 1, parameters: {} };
}

export function triggerStep(parameters: object, to: string[][], credentials?: string[]): Step {
	return {
		name: 'Trigger',
		type: `${PACKAGE}.identityVerificationTrigger`,
		typeVersion: 2,
		parameters,
		credentials,
		to,
	};
}

export function actionStep(parameters: object): Step {
	return {
		name: 'Identity Verification',
		type: `${PACKAGE}.identityVerification`,
		typeVersion: 1,
		parameters,
		credentials: ['identityVerificationApi'],
	};
}

/** Switch with an output for each value that an expression can have. */
export function switchStep(expression: string, values: string[], to: string[][]): Step {
	const rules = values.map((rightValue) => ({
		conditions: {
			options: { caseSensitive: true, leftValue: '', typeValidation: 'strict', version: 2 },
			conditions: [
				{
					id: randomUUID(),
					leftValue: expression,
					rightValue,
					operator: { type: 'string', operation: 'equals' },
				},
			],
			combinator: 'and',
		},
		renameOutput: true,
		outputKey: rightValue,
	}));
	return {
		name: 'Switch',
		type: 'n8n-nodes-base.switch',
		typeVersion: 3.2,
		parameters: { mode: 'rules', rules: { values: rules }, options: {} },
		to,
	};
}
