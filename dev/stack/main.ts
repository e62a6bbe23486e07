import { BACKEND_HEADER, FORM_LOGIN } from './backend';
import { isRight, runMainJob } from './mainJob';
import type { Row } from './mainJob';
import { OWNER, startStack } from './stack';
import type { Stack, StackOptions } from './stack';

export type Settings = Omit<StackOptions, 'signal' | 'report'> & {
	/** End after the main job. */
	once: boolean;
};

const INTERRUPTED = 130;

/**
 * Runs the package in a real n8n against the sandbox, does the main job and shows where each
 * verification went. Resolves to the exit code: 0 if all went right.
 */
export async function main({ once, ...settings }: Settings): Promise<number> {
	const { signal, stopped } = listenForStop();
	const report = (line: string) => console.log(`${line} ...`);
	let stack: Stack | undefined;
	try {
		stack = await startStack({ ...settings, signal, report });
		report('Verifying three people by link, and scanning a document');
		const rows = await runMainJob(stack.api, { signal });
		const isAllRight = rows.every(isRight);
		console.log(`\n${rows.map(describeRow).join('\n')}\n`);
		if (!isAllRight) console.error(`Not everything went right. n8n's log: ${stack.n8n.logFile}`);
		if (!once) {
			console.log(describe(stack));
			await stopped;
			report('\nStopping n8n and the sandbox');
		}
		return isAllRight ? 0 : 1;
	} catch (error) {
		if (!signal.aborted) throw error;
		return INTERRUPTED;
	} finally {
		await stack?.stop();
		if (signal.aborted) console.log('Stopped: n8n and the sandbox have ended.');
	}
}

function listenForStop(): { signal: AbortSignal; stopped: Promise<void> } {
	const controller = new AbortController();
	const { signal } = controller;
	const stopped = new Promise<void>((resolve) => {
		signal.addEventListener('abort', () => resolve());
	});
	const stop = () => controller.abort();
	// They stay in place: a second Ctrl-C must not leave n8n behind.
	for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, stop);
	// A killed npm tells nobody: its shell is gone, and this would run on with nothing to stop it.
	const parent = process.ppid;
	const watch = () => process.ppid !== parent && stop();
	if (process.env.npm_lifecycle_event) setInterval(watch, 1_000).unref();
	return { signal, stopped };
}

function describeRow(row: Row): string {
	const { job, got, executionId, status } = row;
	const where = `went to ${got || 'no branch'} (execution ${executionId || 'missing'}: ${status})`;
	return `${isRight(row) ? 'right' : 'WRONG'}  ${job}: ${where}`;
}

function describe({ n8n, sandbox, outside, files }: Stack): string {
	return [
		`n8n editor     ${n8n.url}`,
		`Login          ${OWNER.email}  ${OWNER.password}`,
		`Portal         ${sandbox.url}/portal`,
		`Sent messages  ${outside.url} (by e-mail, to Slack and to the CRM)`,
		`Header Auth    ${BACKEND_HEADER.name}: ${BACKEND_HEADER.value} (for the examples' webhooks)`,
		`Basic Auth     ${FORM_LOGIN.user}  ${FORM_LOGIN.password} (for the form of Pilot)`,
		`n8n's log      ${n8n.logFile}`,
		`n8n's files    ${files}`,
		'',
		'All data is invented. Stop with Ctrl+C.',
	].join('\n');
}
