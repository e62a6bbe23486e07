import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const examples = dirname(dirname(fileURLToPath(import.meta.url)));
const output = join(dirname(examples), 'build', 'templates');

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
const [YELLOW, WHITE] = [1, 7];
const NODE_SIZE = 96;
const OVERVIEW_WIDTH = 480;
const HEADER_HEIGHT = 112;
const MARGIN = 48;

/** The title of each template, and what it says beside the example's own note. */
const TEMPLATES = {
	'scan-an-upload': {
		title: 'Scan identity documents from a form and alert the team by email',
		overview:
			'Applicants upload an identity document and a selfie in a form, and see the decision at once. Your team gets an e-mail when a person has to act.',
		sections: [
			[
				'## Upload and scan\nThe form accepts the images if the customer number is valid.',
				[
					...['Upload Form', 'Is It an ID?', 'Please Check Your Number'],
					...['Safe to Show: Customer', 'Scan'],
				],
			],
			[
				'## Answer at once\nA page for each decision, and an e-mail when a person has to act.',
				[
					...['Ask the Team', 'We Will Be in Touch', 'Welcome', 'Not Verified'],
					...['Was It Not a Photo?', 'Photos, Please', 'Try Again Later', 'Tell the Team'],
					...['Safe to Show: Result', 'Safe to Show: Error'],
				],
			],
		],
	},
	'manual-review': {
		title: 'Review identity verifications by email and log them in a data table',
		overview:
			"When an identity check can't be decided automatically, a person approves or declines by e-mail, and a data table keeps who decided what and when.",
		sections: [
			['## Result\nOne output for each decision.', ['Verification Completed']],
			[
				'## Try it\nInvented results, without the service.',
				[
					...['Try It without the Service', 'Make the Table of Reviews'],
					...['An Invented Accept', 'An Invented Reject', 'An Invented Review'],
				],
			],
			[
				'## Ask a person\nThe execution waits for the answer.',
				[
					...['Is It Undecided?', 'Choose Who Reviews', 'Safe to Show'],
					...[
						'Ask the Reviewer to Decide',
						'Is It Still Undecided?',
						'Keep Who Decided What and When',
						'What Was the Answer?',
					],
				],
			],
			[
				'## Act on it\nReplace these with your own steps.',
				['Tell the Team Lead That Nobody Answered', 'Open the Account', 'Decline the Applicant'],
			],
		],
	},
	'wait-for-the-result': {
		title: 'Create an identity verification link and wait for its result',
		overview:
			'A request starts the workflow, which creates an identity verification link, waits up to seven days, and takes a path for each decision.',
		more: 'Review, accept and reject each have an output of their own, and a reminder is sent when nobody has finished in time.',
		sections: [
			[
				'## Link\nCreated, sent as the answer, and waited for.',
				[
					'Verification Wanted',
					'Create Hosted Link',
					'Answer with the Link',
					'Wait for the Result',
				],
			],
			[
				'## Act on it\nReplace these with your own steps.',
				['Send a Reminder', 'Ask the Team', 'Open the Account', 'Decline'],
			],
			[
				'## Result\nHanded to the execution that waits for it.',
				['Verification Completed', 'Tell the Team'],
			],
		],
	},
};

/** The workflow of an example in the form that n8n's library of templates asks for. */
async function buildTemplate(example) {
	const { title, overview, more = '', sections } = TEMPLATES[example];
	const file = join(examples, example, 'workflow.json');
	const workflow = JSON.parse(await readFile(file, 'utf8'));
	const isNote = ({ type }) => type === STICKY_NOTE;
	const nodes = workflow.nodes.filter((node) => !isNote(node));
	for (const node of nodes) {
		delete node.credentials;
		// Each service has its own.
		if (node.parameters.profile) node.parameters.profile = '';
	}
	const [first, ...others] = workflow.nodes.filter(isNote);
	const parts = sections.map(([content, names]) =>
		noteAround(
			content,
			nodes.filter(({ name }) => names.includes(name)),
		),
	);
	for (const { parameters } of others) parameters.color = WHITE;
	const notes = [...parts, ...others];
	const [left, top] = [0, 1].map((axis) =>
		Math.min(...notes.map(({ position }) => position[axis])),
	);
	const main = note(textOf({ title, overview, more }, first.parameters.content), {
		color: YELLOW,
		width: OVERVIEW_WIDTH,
		height: 2 * OVERVIEW_WIDTH,
		position: [left - OVERVIEW_WIDTH - MARGIN, top],
	});
	return { ...workflow, name: title, nodes: [main, ...notes, ...nodes] };
}

/** The whole description, of which the portal fills in its form. */
function textOf({ title, overview, more }, content) {
	const text = content
		.replace(/ \([^)]*`npm start`[^)]*\)/g, '')
		.replace(/ [^.]*: see README\./, '');
	const [, how, steps, rest] =
		/^## .*\n([^]*?)\n\n\*\*Set before use\*\*\n((?:\d.*\n?)*)([^]*)$/.exec(text);
	const install =
		'Install the community node `n8n-nodes-identity-verification` in *Settings* > *Community nodes*.';
	const list = [
		install,
		...steps
			.trim()
			.split('\n')
			.map((step) => step.replace(/^\d+\. /, '')),
	];
	return [
		`## ${title}`,
		overview,
		'**Self-hosted n8n only**, because it uses a community node. You need an account of an identity verification service.',
		`### How it works\n${[how, more, rest.trim()].filter(Boolean).join('\n\n')}`,
		`### Setup\n${list.map((step, index) => `${index + 1}. ${step}`).join('\n')}`,
	].join('\n\n');
}

/** A note behind nodes, with its text above them. */
function noteAround(content, nodes) {
	const [xs, ys] = [0, 1].map((axis) => nodes.map(({ position }) => position[axis]));
	const [left, top] = [Math.min(...xs) - MARGIN, Math.min(...ys) - HEADER_HEIGHT];
	const width = Math.max(...xs) + NODE_SIZE + MARGIN - left;
	const height = Math.max(...ys) + NODE_SIZE + MARGIN - top;
	return note(content, {
		color: WHITE,
		width: Math.max(width, 240),
		height,
		position: [left, top],
	});
}

function note(content, { position, ...parameters }) {
	const name = /^## (.*)/.exec(content)[1];
	return {
		id: name,
		name: `Note: ${name}`,
		type: STICKY_NOTE,
		typeVersion: 1,
		position,
		parameters: { content, ...parameters },
	};
}

/** `node examples/templates/build.mjs` */
await mkdir(output, { recursive: true });
for (const example of Object.keys(TEMPLATES)) {
	const file = join(output, `${example}.json`);
	await writeFile(file, JSON.stringify(await buildTemplate(example), null, '\t'));
	console.log(file);
}
