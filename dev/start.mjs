import { argv, env, exit } from 'node:process';

import { build } from './build.mjs';
import { install } from './install.mjs';
import { HELP, checkPorts, readSettings } from './settings.mjs';

async function start() {
	const { help, ...settings } = readSettings(argv.slice(2));
	if (help) {
		console.log(HELP);
		return 0;
	}
	await checkPorts(settings);
	// `N8N_FOLDER` has its own n8n.
	await install(...(env.N8N_FOLDER ? [] : ['dev/n8n']));
	await build();
	// From here on TypeScript, with packages that had to be installed first.
	const tsx = await import('tsx/cjs/api');
	const { main } = tsx.require('./stack/main.ts', import.meta.url);
	return await main(settings);
}

start().then(exit, (error) => {
	console.error(error.message);
	exit(1);
});
