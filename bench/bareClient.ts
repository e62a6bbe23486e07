import { readFile } from 'node:fs/promises';

import pMap from 'p-map';
import { Pool } from 'undici';

import { API_KEY_HEADER } from '../nodes/IdentityVerification/contract/vocabulary';
import type { SandboxProcess } from './sandboxProcess';

/** Scans files with an HTTP client and nothing else. Returns how many milliseconds it took. */
export async function scanBare(
	{ url, apiKey }: SandboxProcess,
	files: string[],
	parallel: number,
): Promise<number> {
	const pool = new Pool(url, { connections: parallel });
	const started = performance.now();
	const scan = async (file: string) => {
		const document = (await readFile(file)).toString('base64');
		const { statusCode, body } = await pool.request({
			method: 'POST',
			path: '/scan',
			headers: { 'content-type': 'application/json', [API_KEY_HEADER]: apiKey },
			body: JSON.stringify({ profile: 'sandbox-accept', document }),
		});
		await body.json();
		if (statusCode !== 200) throw new Error(`The sandbox answered ${statusCode}.`);
	};
	await pMap(files, scan, { concurrency: parallel });
	const elapsed = performance.now() - started;
	await pool.close();
	return elapsed;
}
