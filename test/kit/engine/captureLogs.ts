import { inspect } from 'node:util';

import { Container, Logger } from './container';

export interface CapturedLogs {
	/** All that was written since the capture began, at every level. */
	text(): string;
	stop(): void;
}

const CONSOLE_METHODS = ['debug', 'info', 'log', 'warn', 'error'] as const;

/** Collects what n8n's logger and the console get, to prove that no secret is in it. */
export function captureLogs(): CapturedLogs {
	const lines: string[] = [];
	const add = (...entry: unknown[]) => lines.push(inspect(entry, EVERYTHING));
	const logger = Container.get(Logger).getInternalLogger();
	logger.on('data', add);
	const spies = CONSOLE_METHODS.map((method) =>
		jest.spyOn(console, method).mockImplementation((...entry: unknown[]) => void add(...entry)),
	);
	return {
		text: () => lines.join('\n'),
		stop() {
			logger.off('data', add);
			for (const spy of spies) spy.mockRestore();
		},
	};
}

const EVERYTHING = {
	depth: Infinity,
	maxStringLength: Infinity,
	maxArrayLength: Infinity,
	breakLength: Infinity,
};
