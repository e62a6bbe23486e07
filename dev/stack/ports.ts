import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Outside the range from which a system assigns free ports: one of those could be taken before it's
 * used.
 */
const FIRST = 15_000;
const LAST = 31_999;

/** Numbers of different TCP ports that are free on this machine's loopback address now. */
export async function freePorts(count: number): Promise<number[]> {
	const ports = new Set<number>();
	while (ports.size < count) {
		const port = randomInt(FIRST, LAST + 1);
		if (await canListen(port)) ports.add(port);
	}
	return [...ports];
}

/** The number of one free port. */
export async function freePort(): Promise<number> {
	const [port = 0] = await freePorts(1);
	return port;
}

/** Whether a TCP port of the loopback address is free. */
export async function canListen(port: number): Promise<boolean> {
	const server = createServer();
	try {
		await once(server.listen(port, '127.0.0.1'), 'listening');
	} catch {
		return false;
	}
	await once(server.close(), 'close');
	return true;
}
