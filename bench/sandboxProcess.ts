import { fork } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

import { SandboxClient } from '../dev/sandbox/client';
import type { SandboxAddress } from '../dev/sandbox/client';
import type { Model } from '../dev/sandbox/model';
import type { Images } from './images';

const CREDITS = 1_000_000_000;

/** The sandbox in a process of its own, so that it takes no time from what is measured. */
export class SandboxProcess extends SandboxClient {
	private constructor(
		address: SandboxAddress,
		private readonly child: ChildProcess,
	) {
		super(address);
	}

	static async start(): Promise<SandboxProcess> {
		const child = fork(join(__dirname, 'child', 'sandbox.ts'));
		const [address] = (await once(child, 'message')) as [SandboxAddress];
		return new SandboxProcess(address, child);
	}

	get pid(): number {
		return this.child.pid ?? 0;
	}

	/** Makes it as new, with credits enough. */
	override async reset(): Promise<void> {
		await super.reset();
		await this.setCredits(CREDITS);
	}

	/**
	 * Forgets what was received, and is as fast as this model from now on or, without one, as fast as
	 * it can.
	 */
	async imitate(model: Model = {}): Promise<void> {
		await this.reset();
		await this.setModel(model);
	}

	/**
	 * How many requests have come since the last reset, whatever was answered.
	 * @throws Error unless each of the images was scanned exactly once, as a whole
	 */
	async requestsFor({ files, bytes }: Images): Promise<number> {
		const requests = await this.requests();
		const scanned = requests
			.filter(({ status }) => status === 200)
			.map(({ images: { document } }) => document);
		const whole = scanned.filter((document) => document?.bytes === bytes);
		const different = new Set(whole.map((document) => document?.sha256)).size;
		if (different === files.length && scanned.length === different) return requests.length;
		throw new Error(
			`${files.length} images: ${different} were scanned as a whole, and ${scanned.length} paid.`,
		);
	}

	stop(): void {
		this.child.disconnect();
	}
}
