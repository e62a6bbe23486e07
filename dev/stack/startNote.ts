import type { WorkflowFile } from './api';

type Node = WorkflowFile['nodes'][number];

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const DATA_TABLE = 'n8n-nodes-base.dataTable';
const RESULT_TRIGGER = 'n8n-nodes-identity-verification.identityVerificationTrigger';
/** Nodes that start a workflow only while it is published. */
const NEEDS_PUBLISHING =
	/\.(webhook|formTrigger|scheduleTrigger|errorTrigger|executeWorkflowTrigger|identityVerificationTrigger)$/;

const WIDTH = 720;
const PADDING = 32;
const LINE_HEIGHT = 20;
const CHARACTERS_A_LINE = 90;
const DISTANCE = 32;

/**
 * Adds a note above the one that says what has to be set: what `npm start` has set of it, and what
 * is left.
 */
export function addStartNote(workflow: WorkflowFile): void {
	const own = workflow.nodes.find(({ parameters }) =>
		String(parameters.content).includes('**Set before use**'),
	);
	if (!own) throw new Error(`${workflow.name} has no note that says what to set.`);
	const content = startNote(workflow);
	const height = PADDING + LINE_HEIGHT * Math.ceil(content.length / CHARACTERS_A_LINE);
	const [x = 0, y = 0] = own.position as number[];
	workflow.nodes.push({
		id: 'with-npm-start',
		name: 'With npm start',
		type: STICKY_NOTE,
		typeVersion: 1,
		position: [x, y - height - DISTANCE],
		parameters: { content, width: WIDTH, height },
	});
}

/** What `npm start` has set in a workflow, and what it has left. */
function startNote(workflow: WorkflowFile): string {
	const left = stepsLeft(workflow);
	return [
		'**With `npm start`**, credentials, profiles, folders, and the URLs of the CRM and Slack are set.',
		deactivated(workflow),
		left.length > 0 ? `Left to do: ${left.join(', ')}.` : 'Nothing is left to do.',
	]
		.filter(Boolean)
		.join(' ');
}

function deactivated({ nodes }: WorkflowFile): string {
	const names = nodes.filter(({ disabled }) => disabled).map(({ name }) => `**${name}**`);
	if (names.length === 0) return '';
	const verbs = names.length === 1 ? ['needs', 'is'] : ['need', 'are'];
	return `${names.join(' and ')} ${verbs[0]} an account and ${verbs[1]} deactivated.`;
}

function stepsLeft({ nodes }: WorkflowFile): string[] {
	const starts = (type: RegExp) => nodes.some((node) => type.test(node.type));
	const receives = nodes.some(({ type }) => type === RESULT_TRIGGER);
	// Whatever trigger gets the results delivers them to the executions that wait.
	const waits = nodes.some(({ parameters }) => parameters.operation === 'waitForResult');
	return [
		...tableSteps(nodes),
		...(starts(/\.scheduleTrigger$/) ? ['choose the *Timezone*'] : []),
		...(starts(NEEDS_PUBLISHING) ? ['publish the workflow'] : []),
		...(receives && !waits ? ["enter the trigger's URL in the printed *Portal*"] : []),
		...(starts(/\.errorTrigger$/) ? ['choose it as the *Error Workflow* of another one'] : []),
	];
}

function tableSteps(nodes: Node[]): string[] {
	if (!nodes.some(namesTable)) return [];
	if (!nodes.some(isTableMaker)) return ['set up *Case list* as step 1 says'];
	const hasInventedRows = nodes.some(({ name }) => name.startsWith('An Invented'));
	return [`make the Data Table${hasInventedRows ? ' and delete its invented rows' : ''}`];
}

/** Whether it works with a certain table, and not with whatever tables there are. */
function namesTable({ type, parameters: { dataTableId } }: Node): boolean {
	const { mode } = (dataTableId ?? {}) as { mode?: string };
	return type === DATA_TABLE && mode === 'name';
}

function isTableMaker({ type, parameters }: Node): boolean {
	return type === DATA_TABLE && parameters.operation === 'create';
}
