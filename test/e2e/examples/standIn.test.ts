import { STAND_IN } from '../../../dev/stack/examples';
import { isFinished, itemsOf } from '../../../dev/stack/execution';
import type { Execution } from '../../../dev/stack/execution';
import { fetchN8n } from '../../../dev/stack/fetchN8n';
import { hostedLink } from '../../../dev/stack/link';
import { poll } from '../../../dev/stack/poll';
import { picture } from '../../kit/data/picture';
import { readExample } from '../../kit/n8n/examples/example';
import { LiveWorkflow } from '../../kit/n8n/liveWorkflow';
import { SCAN, START, imagesBody, startScans } from '../../kit/n8n/scans';
import { openStack } from '../../kit/n8n/stack';
import { CREATE, DEADLINE, branchesOf, untilStatus } from '../../kit/n8n/waitingFlow';
import { DataTable } from './support/dataTable';
import { linkIn } from './support/mailedLink';
import { useOutside } from './support/outside';
import { endPage, postFields } from './support/postForm';

const KEY = 'key-of-the-stand-in';
const SECRET = 'webhook-secret-of-the-stand-in';
const SEND = 'Send the Result';
const ADDRESS = 'alex@example.com';

const { api } = openStack();
const outside = useOutside(api);

const account = {
	name: 'Stand-in',
	type: 'identityVerificationApi',
	data: {
		apiKey: KEY,
		baseUrl: `${api.url}/webhook/stand-in`,
		fileHosts: '',
		webhookSecret: SECRET,
	},
};
const withData = (name: string, data: object) => ({
	...account,
	name,
	data: { ...account.data, ...data },
});

const credentials: Record<string, string> = {};
let standIn: LiveWorkflow;

/** Publishes the stand-in; with the ID of a credential, its trigger has that one. */
async function publish(ofTrigger?: string): Promise<void> {
	const file = await readExample('stand-in/workflow.json', { credentials });
	const trigger = file.nodes.find(({ name }) => name === 'Verification Completed');
	const own = trigger?.credentials?.identityVerificationApi;
	if (ofTrigger && own) own.id = ofTrigger;
	standIn = await LiveWorkflow.start(api, file);
}

beforeAll(async () => {
	const { apiKey, webhookSecret } = account.data;
	const httpHeaderAuth = { name: 'X-API-KEY', value: apiKey };
	const httpQueryAuth = { name: 'secret', value: webhookSecret };
	credentials.identityVerificationApi = await api.saveCredential(account);
	for (const [type, data] of Object.entries({ httpHeaderAuth, httpQueryAuth })) {
		credentials[type] = await api.saveCredential({ name: 'Stand-in', type, data });
	}
	await publish();
});
afterAll(async () => await api.deactivate(STAND_IN));

/** Runs the first run until it waits. */
async function firstRun() {
	const id = await api.runWorkflow(STAND_IN, 'Try It');
	const isWaiting = async () => {
		const listed = (await standIn.list()).find((execution) => execution.id === id);
		return listed?.status === 'waiting' || undefined;
	};
	await poll(isWaiting, { what: 'the first run to wait', ...DEADLINE });
	const { url } = hostedLink.parse(itemsOf(await api.getExecution(id), CREATE)[0]);
	return { id, url };
}

/** Chooses a decision on the page of a link, and sends it. */
const choose = async (url: string, decision: string) =>
	await postFields(url, [JSON.stringify([decision])]);

/** The stand-in's own execution of a link, when it has ended. */
async function executionOf(url: string): Promise<Execution> {
	const id = new URL(url).pathname.split('/').at(-1) ?? '';
	const ended = async () => {
		const execution = await api.getExecution(id);
		return isFinished(execution) ? execution : undefined;
	};
	return await poll(ended, { what: 'the execution of the link to end', ...DEADLINE });
}

/** Scans a picture with a profile, as the node does it. */
async function scan(profile: string): Promise<Execution> {
	const flow = await startScans(api, {
		credentialId: credentials.identityVerificationApi,
		parameters: { profile },
	});
	await flow.send(START, imagesBody([picture()]));
	return await flow.takeExecution();
}

it('takes its own key, and refuses another one everywhere', async () => {
	const id = String(credentials.identityVerificationApi);
	const test = async (data: object) => await api.testCredential(id, withData('Stand-in', data));

	expect(await test({})).toMatchObject({ status: 'OK' });
	expect(await test({ apiKey: 'another-key' })).toMatchObject({
		status: 'Error',
		message: expect.stringContaining('refused this API key') as string,
	});
	for (const name of ['Scan', 'Hosted', 'Link']) {
		const body = { profile: 'stand-in', customData: 'applicant-1' };
		const answer = await standIn.send(name, body, { headers: { 'X-API-KEY': 'another-key' } });
		expect([name, answer.status]).toEqual([name, 403]);
	}
});

it('decides a scan by its profile, and refuses one that is meant for a service', async () => {
	for (const [profile, decision] of [
		['stand-in', 'accept'],
		['stand-in-review', 'review'],
		['stand-in-reject', 'reject'],
	] as const) {
		expect(itemsOf(await scan(profile), SCAN)).toMatchObject([
			{ decision, warnings: [{ code: 'STAND_IN' }], fields: { lastName: 'SPECIMEN' } },
		]);
	}

	const { data } = await scan('onboarding');
	expect(data[SCAN]?.[0]?.error?.message).toMatch(
		/400.*begins with stand-in.*Nothing was charged/s,
	);
});

it.each(['accept', 'review', 'reject'])('the first run gets as far as: %s', async (decision) => {
	const { id, url } = await firstRun();
	await choose(url, decision);

	const branches = branchesOf(await untilStatus(api, id, 'success'));
	expect(Object.entries(branches)).toMatchObject([
		[expect.stringMatching(new RegExp(decision, 'i')), [{ decision, customData: 'applicant-1' }]],
	]);
});

it('refuses a forged address, and a second decision', async () => {
	const { id, url } = await firstRun();
	const forged = new URL(url);
	const signature = String(forged.searchParams.get('signature'));
	forged.searchParams.set(
		'signature',
		signature.replace(/./, (first) => (first === 'a' ? 'b' : 'a')),
	);
	const [bare = ''] = url.split('?');

	for (const address of [forged.href, bare]) {
		expect((await fetchN8n(address)).status).toBe(401);
		expect((await choose(address, 'accept')).status).toBe(401);
	}
	expect((await api.getExecution(id)).status).toBe('waiting');

	await choose(url, 'reject');
	await untilStatus(api, id, 'success');
	const before = await standIn.list();
	await choose(url, 'accept');
	expect((await executionOf(url)).data[SEND]).toHaveLength(1);
	expect(await standIn.list()).toEqual(before);
});

it('answers with a link only when its page can be opened', async () => {
	for (let count = 0; count < 5; count++) {
		const body = { version: 3, mode: 0, profile: 'stand-in', customData: 'applicant-1' };
		const answer = await standIn.send('Hosted', body, { headers: { 'X-API-KEY': KEY } });
		const { url } = hostedLink.parse(JSON.parse(answer.body));
		const page = await fetchN8n(url, { signal: AbortSignal.timeout(5_000) });
		expect(await page.text()).toContain('Nothing is checked here');
	}
});

it('serves Second chance: a reject, and an accept with the second link', async () => {
	await new DataTable(api, 'second-chance').create();
	const settings = {
		credentials: { ...credentials, smtp: outside.credentialId },
		replace: { 'sandbox-onboarding': 'stand-in' },
	};
	const file = await readExample('second-chance/workflow.json', settings, outside.addresses);
	const flow = await LiveWorkflow.start(api, file);
	// Of the example's own tests in this n8n.
	await flow.takeExecutions();
	const form = file.nodes.find(({ type }) => type === 'n8n-nodes-base.formTrigger');
	const link = async () => {
		const mail = await poll(() => Promise.resolve(outside.takeMails()[0]), {
			what: 'a mail with a link',
			...DEADLINE,
		});
		const [newest] = await flow.list();
		await untilStatus(api, String(newest?.id), 'waiting');
		return linkIn(mail);
	};

	await endPage(`${api.url}/form/${form?.webhookId}`, 'Customer-4711', ADDRESS);
	await choose(await link(), 'reject');
	await choose(await link(), 'accept');

	const execution = await flow.takeExecution();
	expect(itemsOf(execution, 'Open the Account')).toMatchObject([{ customData: 'Customer-4711' }]);
	await api.deactivate(file.id);
});

it('sends nothing to a trigger with another secret, and says so, until that is corrected', async () => {
	const real = withData('Another account', { webhookSecret: 'webhook-secret-of-a-real-account' });
	const { id, url } = await firstRun();
	await publish(await api.saveCredential(real));

	await choose(url, 'accept');
	const refused = await executionOf(url);
	expect(refused.status).toBe('error');
	expect(JSON.stringify(refused.data[SEND]?.[0]?.error)).toContain('401');
	expect((await api.getExecution(id)).status).toBe('waiting');

	await publish();
	await api.retryExecution(refused.id);
	expect(branchesOf(await untilStatus(api, id, 'success'))).toHaveProperty('Accept');
});
