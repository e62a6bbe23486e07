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
 * Starts workflows at a service as fast as its model says. The package keeps what it has learned of
 * a service by credential, so they have a new one, and share it.
 */
export async function startFresh(
	{ sandbox }: Bed,
	{ api }: RunningN8n,
	model: Model,
	builds: Build[],
): Promise<LiveWorkflow[]> {
	const credential = credentialFor(sandbox, WEBHOOK_SECRET);
	const name = `${credential.name} ${++credentials}`;
	const id = await api.saveCredential({ ...credential, name });
	const workflows: LiveWorkflow[] = [];
	for (const build of builds) {
		workflows.push(await LiveWorkflow.start(api, build({ [credential.type]: id })));
	}
	await sandbox.imitate(model);
	return workflows;
}
