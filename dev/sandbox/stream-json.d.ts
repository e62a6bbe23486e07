// stream-json ships no types. Only what imageBody.ts uses is declared here.

declare module 'stream-json/Parser' {
	import { Transform } from 'node:stream';

	namespace Parser {
		interface Token {
			name: string;
			value?: unknown;
		}

		interface Options {
			packStrings?: boolean;
			streamStrings?: boolean;
			streamKeys?: boolean;
			streamNumbers?: boolean;
		}
	}

	class Parser extends Transform {
		constructor(options?: Parser.Options);
	}

	export = Parser;
}

declare module 'stream-json/Assembler' {
	import { EventEmitter } from 'node:events';
	import type { Token } from 'stream-json/Parser';

	class Assembler extends EventEmitter {
		readonly current: unknown;
		readonly key: string | null;
		readonly depth: number;
		consume(token: Token): this;
	}

	export = Assembler;
}
