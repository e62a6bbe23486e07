import { readExamples } from '../../dev/stack/examples';
import { addStartNote } from '../../dev/stack/startNote';

type Change = (node: { name: string; disabled?: unknown }) => void;

/** The note that `npm start` adds to the example of this name. */
async function noteIn(name: string, change: Change = () => undefined): Promise<string> {
	const example = (await readExamples()).find((workflow) => workflow.name === name);
	if (!example) throw new Error(`There is no example "${name}".`);
	example.nodes.forEach(change);
	addStartNote(example);
	const note = example.nodes.find((node) => node.name === 'With npm start');
	return String(note?.parameters.content);
}

it.each([
	['Long batch', 'Nothing is left to do.'],
	['Scan an upload', 'Left to do: publish the workflow.'],
	['Wait for the result', 'Left to do: publish the workflow.'],
	['Erase a person: search', 'Left to do: publish the workflow.'],
	['Erase a person', 'Left to do: make the Data Table, publish the workflow.'],
	['Second chance', 'Left to do: make the Data Table, publish the workflow.'],
	[
		'Audit file',
		"Left to do: publish the workflow, enter the trigger's URL in the printed *Portal*.",
	],
	[
		'Case list',
		"Left to do: make the Data Table and delete its invented rows, publish the workflow, enter the trigger's URL in the printed *Portal*.",
	],
	[
		'Reminder and expiry',
		'Left to do: set up *Case list* as step 1 says, choose the *Timezone*, publish the workflow.',
	],
	[
		'When something fails',
		'Left to do: publish the workflow, choose it as the *Error Workflow* of another one.',
	],
])('npm start says in %s what it has left to do', async (name, left) => {
	expect(await noteIn(name)).toBe(
		`**With \`npm start\`**, credentials, profiles, folders, and the URLs of the CRM and Slack are set. ${left}`,
	);
});

it('npm start says which steps need an account', async () => {
	const note = await noteIn('CRM: HubSpot', (node) => {
		node.disabled = ['Write It to the Deal', 'Post It to Slack'].includes(node.name);
	});
	expect(note).toContain(
		'**Post It to Slack** and **Write It to the Deal** need an account and are deactivated.',
	);
});
