import nodeConsole from 'node:console';
import { inspect } from 'node:util';

import { Container, Logger } from './container';

/** What n8n's logger, at every level, and the console got since the test began. */
export interface Logs {
	text(): string;
	/** The lines that match. */
	lines(pattern: RegExp): string[];
	/** What the package says of an execution that was canceled. */
	canceledRun(executionId: string): string[];
}

const CONSOLE_METHODS = ['debug', 'info', 'log', 'warn', 'error'] as const;

const EVERYTHING = {
	depth: Infinity,
	maxStringLength: Infinity,
	maxArrayLength: Infinity,
	breakLength: Infinity,
};

/**
 * Collects the logs of each test of a file, to find what has to be in them and what must not be. The
 * console prints nothing meanwhile.
 */
export function useLogs(): Logs {
	const logger = Container.get(Logger).getInternalLogger();
	const entries: string[] = [];
	const add = (...entry: unknown[]) => void entries.push(inspect(entry, EVERYTHING));
	let spies: jest.SpyInstance[] = [];
	beforeEach(() => {
		entries.length = 0;
		// Jest's, which the package and the tests have, and that of n8n.
		const consoles = [console, nodeConsole].flatMap((target) =>
			CONSOLE_METHODS.map((method) => jest.spyOn(target, method).mockImplementation(add)),
		);
		// Before the logger's stream, which drops everything, because the logger is silent. The format
		// adds the JSON that n8n would write.
		const { format } = logger;
		const write = jest.spyOn(logger, 'write').mockImplementation((info) => {
			add(format.transform(info, format.options));
			return true;
		});
		spies = [...consoles, write];
	});
	afterEach(() => {
		for (const spy of spies) spy.mockRestore();
	});
	const text = () => entries.join('\n');
	const lines = (pattern: RegExp) =>
		text()
			.split('\n')
			.filter((line) => pattern.test(line));
	const canceledRun = (executionId: string) =>
		lines(new RegExp(`execution ${executionId} was canceled\\. Requests sent`));
	return { text, lines, canceledRun };
}
