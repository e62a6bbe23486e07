import { startSandbox } from './index';
import type { Sandbox } from './index';

const DEFAULT_PORT = 4010;
const DEFAULT_FILES_PORT = 4011;

function portOf(variable: string, standard: number): number {
	const text = process.env[variable] ?? String(standard);
	const port = Number(text);
	if (text.trim() !== '' && Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
	throw new Error(`${variable} must be a port from 0 to 65535, not "${text}".`);
}

function describe({ url, filesUrl, apiKey, profiles }: Sandbox): string {
	return [
		'The sandbox of the identity verification service is running.',
		'',
		`  Base URL   ${url}`,
		`  Files      ${filesUrl}`,
		`  API key    ${apiKey}`,
		`  Portal     ${url}/portal`,
		`  Profiles   ${profiles.join('\n             ')}`,
		'',
		'All data is invented and kept in memory only. Stop with Ctrl+C.',
	].join('\n');
}

function explain(error: unknown): string {
	if (!(error instanceof Error)) return String(error);
	const { code, port } = error as NodeJS.ErrnoException & { port?: number };
	if (code !== 'EADDRINUSE') return error.message;
	return (
		`Port ${port} is already in use: perhaps the sandbox runs already. ` +
		'Stop the other program, or choose other ports with SANDBOX_PORT and SANDBOX_FILES_PORT.'
	);
}

async function main(): Promise<void> {
	const sandbox = await startSandbox({
		port: portOf('SANDBOX_PORT', DEFAULT_PORT),
		filesPort: portOf('SANDBOX_FILES_PORT', DEFAULT_FILES_PORT),
	});
	console.log(describe(sandbox));
	for (const signal of ['SIGINT', 'SIGTERM'] as const) {
		process.once(signal, () => void sandbox.close());
	}
}

main().catch((error: unknown) => {
	console.error(`The sandbox could not start. ${explain(error)}`);
	process.exitCode = 1;
});
