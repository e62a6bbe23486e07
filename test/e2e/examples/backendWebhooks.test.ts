import { BACKEND_CREDENTIAL, BACKEND_HEADER } from '../../../dev/stack/backend';
import { STAND_IN, readExamples } from '../../../dev/stack/examples';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { openStack } from '../../kit/n8n/stack';
import { unusedUrl } from '../../kit/service/httpServer';
import { modelCredential } from '../support/model';

const { api, credential, sandbox } = openStack();

const STRANGERS: [string, Record<string, string>][] = [
	['no header', {}],
	['another value', { [BACKEND_HEADER.name]: 'a-guess' }],
	['the value in another header', { authorization: BACKEND_HEADER.value }],
];
const BODY = { applicantId: 'applicant-1', customData: 'applicant-1' };

/** Publishes the examples that a team's backend calls. Returns each with its Webhook node. */
async function publishAll() {
	const httpHeaderAuth = await api.saveCredential(BACKEND_CREDENTIAL);
	// n8n publishes no workflow in which a credential is missing; this model isn't asked.
	const openAiApi = await api.saveCredential(modelCredential(await unusedUrl()));
	const credentials = { [credential.type]: credential.id, httpHeaderAuth, openAiApi };
	// The package itself calls those of Stand-in.
	const examples = (await readExamples({ credentials })).filter(({ id }) => id !== STAND_IN);
	const called = examples.flatMap((file) =>
		file.nodes
			.filter(({ parameters }) => parameters.authentication === 'headerAuth')
			.map(({ name }) => ({ file, name })),
	);
	const published = [];
	for (const { file, name } of called) {
		published.push({ name, workflow: await LiveWorkflow.start(api, file) });
	}
	return published;
}

it('examples that a backend calls refuse everybody else, unpaid', async () => {
	const published = await publishAll();
	for (const { workflow } of published) await workflow.takeExecutions();
	const before = await sandbox.requests();

	for (const { name, workflow } of published) {
		for (const [what, headers] of STRANGERS) {
			const { status } = await workflow.send(name, BODY, { headers });
			expect([name, what, status]).toEqual([name, what, 403]);
		}
		expect(await workflow.takeExecutions()).toEqual([]);
	}

	expect(published).toHaveLength(4);
	expect(await sandbox.requests()).toEqual(before);
});
