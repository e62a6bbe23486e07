import type { Model } from '../dev/sandbox/model';
import type { WorkflowFile } from '../dev/stack/api';
import { credentialFor } from '../dev/stack/stack';
import { LiveWorkflow } from '../test/kit/n8n/liveWorkflow';
import { WEBHOOK_SECRET } from './bed';
import type { Bed, RunningN8n } from './bed';
import type { CredentialIds } from './workflows';

/** Builds a workflow that uses a credential. */
export type Build = (ids: CredentialIds) => WorkflowFile;

let credentials = 0;

/**
 * Starts a workflow at a service as fast as its model says. The package keeps what it has learned of
 * a service by credential, so it has a new one.
 */
export async function startFresh(
	{ sandbox }: Bed,
	{ api }: RunningN8n,
	model: Model,
	build: Build,
): Promise<LiveWorkflow> {
	const credential = credentialFor(sandbox, WEBHOOK_SECRET);
	const name = `${credential.name} ${++credentials}`;
	const id = await api.saveCredential({ ...credential, name });
	const workflow = await LiveWorkflow.start(api, build({ [credential.type]: id }));
	await sandbox.imitate(model);
	return workflow;
}
