import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { RequestListener } from 'node:http';
import { join } from 'node:path';

import { ROOT } from '../../../dev/stack/paths';
import type { Tarball } from '../../../dev/stack/tarball';

/** Answers as a registry of npm that has one package, as it is packed here. */
export async function registryOf({ packageName, file }: Tarball): Promise<RequestListener> {
	const content = await readFile(file);
	const manifest = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
		version: string;
	};
	const integrity = `sha512-${createHash('sha512').update(content).digest('base64')}`;
	return ({ url = '', headers: { host } }, response) => {
		if (url.endsWith('.tgz')) {
			response.end(content);
		} else if (url.startsWith(`/${packageName}`)) {
			const dist = { tarball: `https://${host}/${packageName}.tgz`, integrity };
			const versions = { [manifest.version]: { ...manifest, dist } };
			const latest = manifest.version;
			response.setHeader('Content-Type', 'application/json');
			response.end(JSON.stringify({ name: packageName, 'dist-tags': { latest }, versions }));
		} else {
			response.writeHead(404).end();
		}
	};
}
