import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { N8nApi } from '../../dev/stack/api';
import { startN8n } from '../../dev/stack/n8n';
import type { N8n } from '../../dev/stack/n8n';
import { startOutside } from '../../dev/stack/outside';
import type { Outside } from '../../dev/stack/outside';
import { ROOT, SPECIMEN } from '../../dev/stack/paths';
import { freePort } from '../../dev/stack/ports';
import { OWNER, filesFolder } from '../../dev/stack/stack';
import { packPackage } from '../../dev/stack/tarball';
import { useBrowser } from '../kit/n8n/browser';
import { Editor } from '../kit/n8n/editor';
import { LiveWorkflow } from '../kit/n8n/liveWorkflow';
import { PATIENCE } from '../kit/n8n/n8nSettings';
import { n8nNode, triggerNode, workflowOf } from '../kit/n8n/workflow';
import { proxyEveryHost } from '../kit/service/httpsHosts';
import { useSandbox } from '../kit/service/sandbox';
import { NodePanel } from '../kit/n8n/nodePanel';
import { OpenNode } from '../kit/n8n/openNode';
import { Camera, WINDOW } from './support/camera';
import { registryOf } from './support/registry';

const FILMS = join(ROOT, 'build', 'film');
const MAX_SECONDS = 5 * 60;
const MAX_GIF_BYTES = 1_500_000;

const TRIGGER = 'Verification Completed';
const SCAN = 'Scan identity document';
const LINK = 'Create hosted verification link';
const MANUAL_TRIGGER = 'When clicking ‘Execute workflow’';
const CREDENTIAL = 'Identity Verification account';
const SECRET = 'webhook-secret-of-the-film';
const PROFILE = 'sandbox-accept';

const sandbox = useSandbox();
const browser = useBrowser({ slowMo: 150 });
let folder: string;
let n8n: N8n | undefined;
let outside: Outside;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'identity-verification-film-'));
	outside = await startOutside(0);
});

afterAll(async () => {
	await n8n?.stop();
	await outside.close();
	await rm(folder, { recursive: true, force: true });
});

it('films the installation, the credential, a scan, a link, and its result up to Slack', async () => {
	const tarball = await packPackage(join(folder, 'package'));
	await proxyEveryHost(await registryOf(tarball), { isTrusted: false });
	const env = { ...PATIENCE, npm_config_strict_ssl: 'false' };
	const port = await freePort();
	const files = filesFolder(folder);
	await mkdir(files, { recursive: true });
	const document = join(files, 'document.jpg');
	await copyFile(SPECIMEN, document);
	n8n = await startN8n({
		folder,
		port,
		env: { ...env, N8N_RESTRICT_FILE_ACCESS_TO: files },
	});
	const api = new N8nApi(n8n.url);
	await api.enter(OWNER);

	const context = await browser.newContext({ viewport: WINDOW });
	const camera = await Camera.set(context, FILMS);
	const editor = await Editor.open(context, { n8nUrl: n8n.url, session: api.session });
	const { page } = editor;
	const nodePanel = new NodePanel(page);
	const node = new OpenNode(page);
	await page.goto(`${n8n.url}/settings/community-nodes`);
	await page.getByRole('button', { name: 'Install a community node' }).waitFor();
	await camera.follow(page);

	await camera.say('Install it from Settings, Community nodes.');
	await page.getByRole('button', { name: 'Install a community node' }).click();
	await page.getByPlaceholder('e.g. n8n-nodes-chatwork').fill(tarball.packageName);
	await page.getByText('I understand the risks of installing').click();
	await page.getByRole('button', { name: 'Install', exact: true }).click();
	await page.getByText('2 nodes').waitFor();
	await page.getByText('I understand the risks of installing').waitFor({ state: 'hidden' });
	await camera.say('It has two nodes: one for actions, and a trigger for results.');

	await editor.newWorkflow();
	await nodePanel.open();
	await page.getByText('Trigger manually').click();
	await nodePanel.openBehind(editor.node(MANUAL_TRIGGER));
	await nodePanel.add('Read/Write Files from Disk', 'Actions', 'Read File(s) From Disk');
	await node.fill('fileSelector', document);
	await node.close();
	await camera.say('To scan a document, use a file from any earlier node.');
	await nodePanel.openBehind(editor.node('Read/Write Files from Disk'));
	await nodePanel.add('identity', 'Actions', SCAN);
	await camera.say('Add your API key. Testing it is free.');
	await page.getByText('Connect to Identity Verification').click();
	await node.fill('apiKey', sandbox.apiKey);
	await node.fill('baseUrl', sandbox.url);
	await node.fill('webhookSecret', SECRET);
	await node.saveCredential();
	await page.getByText('Credential successfully created').waitFor();
	await node.editCredential();
	await page.getByText('Connection tested successfully').waitFor();
	await camera.say('The service has accepted the key.', 2);
	// It closes the node, too.
	await page.keyboard.press('Escape');
	await editor.openNode(SCAN);
	await node.fill('profile', PROFILE);
	await camera.say(
		'A profile of the service says what is checked. One scan is one paid request.',
		3,
	);
	await node.execute();
	await node.openBranch();
	await node.readFields();
	await camera.say(
		'The decision chooses the branch, and the fields of the document can be mapped.',
		4,
	);

	const live = await publishTrigger(api);
	const webhookUrl = `${live.url(TRIGGER)}?secret=${SECRET}`;
	await sandbox.setProfile(PROFILE, { webhookUrl });
	await editor.newWorkflow();
	await nodePanel.open();
	await page.getByText('Trigger manually').click();
	await nodePanel.openBehind(editor.node(MANUAL_TRIGGER));
	await nodePanel.add('identity', 'Actions', LINK);
	await camera.say('Or create a link for a person, with your own customer number.');
	await node.chooseCredential(CREDENTIAL);
	await node.fill('profile', PROFILE);
	await node.fill('customData', 'customer-4711');
	await node.execute();
	await node.readFields();
	await camera.say('You pay for the link once, even if n8n runs the node again.', 4);

	await page.goto(`${n8n.url}/workflow/${api.idOf(live.file.id)}`);
	await editor.node(TRIGGER).waitFor();
	await camera.say('Another workflow receives the results, and tells Slack of each accept.', 4);
	const endUser = await context.newPage();
	await endUser.goto((await sandbox.state()).links[0]?.url ?? '');
	await camera.follow(endUser);
	await camera.say('The person opens the link, and verifies their identity.');
	await endUser.getByRole('button', { name: 'Accept: clean document' }).click();
	await endUser.getByRole('heading', { name: 'Verification finished' }).waitFor();
	await camera.say('The service sends the result to the trigger.', 2);

	await camera.follow(page);
	await page.goto(`${n8n.url}/workflow/${api.idOf(live.file.id)}/executions`);
	await editor.openNode(TRIGGER);
	await node.openBranch();
	await node.readFields();
	await camera.say('The result arrives at Accept, with your customer number.', 4);
	await page.goto(outside.url);
	// Another host is another process of the browser.
	await camera.follow(page);
	await page.getByText('Accepted: customer-4711').waitFor();
	await camera.say('The message has reached Slack (here, a local one).', 4);

	const seconds = await camera.develop();
	expect(seconds).toBeLessThan(MAX_SECONDS);
	expect((await stat(join(FILMS, 'film.gif'))).size).toBeLessThan(MAX_GIF_BYTES);
});

/** A published workflow that tells Slack of each accept. */
async function publishTrigger(api: N8nApi): Promise<LiveWorkflow> {
	const data = { apiKey: sandbox.apiKey, baseUrl: sandbox.url, webhookSecret: SECRET };
	const type = 'identityVerificationApi';
	const credentialId = await api.saveCredential({ name: CREDENTIAL, type, data });
	const parameters = { authentication: 'webhookSecret', output: 'decisionOnly' };
	const trigger = triggerNode(TRIGGER, { credentialId, parameters });
	const slack = n8nNode('Post to Slack', 'httpRequest', 4.2, {
		method: 'POST',
		url: `${outside.url}/slack/services/film`,
		sendBody: true,
		specifyBody: 'json',
		jsonBody: "={{ JSON.stringify({ text: 'Accepted: ' + $json.customData }) }}",
		options: {},
	});
	Object.assign(slack, { position: [320, 0] });
	const workflow = workflowOf([trigger, slack], [[TRIGGER, slack.name, 1]]);
	return await LiveWorkflow.start(api, { ...workflow, name: 'Results' });
}
