import { connect } from 'node:net';
import { dirname, join, resolve } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

const PORTS = [
	{ flag: 'n8n-port', standard: 5678, of: 'n8n' },
	{ flag: 'sandbox-port', standard: 4010, of: 'the sandbox' },
	{ flag: 'sandbox-files-port', standard: 4011, of: "the sandbox's files" },
	{ flag: 'outside-port', standard: 4012, of: 'sent mails, Slack and the CRM' },
].map((port) => ({
	...port,
	key: port.flag.replace(/-(\w)/g, (_, letter) => letter.toUpperCase()),
	variable: port.flag.toUpperCase().replaceAll('-', '_'),
}));

export const HELP = `npm start -- [flags]

Runs the package in a real n8n beside a local service, does the main job once, and
stays until Ctrl+C.

  --once                       end after the main job; the exit code is 0 only if all went right
  --folder <path>              n8n's user folder (default .n8n-dev)
${PORTS.map(({ flag, variable, standard, of }) => `  ${`--${flag} <port>`.padEnd(29)}port of ${of} (or ${variable}; default ${standard})`).join('\n')}
  --help                       show this`;

/** Reads flags and environment. Throws an Error with a message for people. */
export function readSettings(args) {
	const flags = Object.fromEntries(PORTS.map(({ flag }) => [flag, { type: 'string' }]));
	const { values } = parseArgs({
		args,
		options: {
			once: { type: 'boolean', default: false },
			help: { type: 'boolean', default: false },
			folder: { type: 'string', default: join(root, '.n8n-dev') },
			...flags,
		},
	});
	const ports = PORTS.map((port) => [port.key, readPort(port, values[port.flag])]);
	const { once, help, folder } = values;
	return { once, help, folder: resolve(folder), ...Object.fromEntries(ports) };
}

function readPort({ flag, variable, standard }, value) {
	const [name, text] = value ? [`--${flag}`, value] : [variable, env[variable] || String(standard)];
	const port = Number(text);
	if (Number.isInteger(port) && port > 0 && port < 65_536) return port;
	throw new Error(`${name} must be a port from 1 to 65535, not "${text}".`);
}

/** Throws if another program listens on one of the ports, or two of them are the same. */
export async function checkPorts(settings) {
	const taken = new Set();
	for (const { key, flag, variable, of } of PORTS) {
		const port = settings[key];
		if (taken.has(port) || (await isListening(port))) {
			throw new Error(
				`Port ${port}, wanted for ${of}, is already in use. Stop the other program, or choose ` +
					`another port with --${flag} or the environment variable ${variable}.`,
			);
		}
		taken.add(port);
	}
}

function isListening(port) {
	return new Promise((resolve) => {
		const socket = connect(port, '127.0.0.1');
		const answer = (isOpen) => () => {
			socket.destroy();
			resolve(isOpen);
		};
		socket.once('connect', answer(true)).once('error', answer(false));
	});
}
