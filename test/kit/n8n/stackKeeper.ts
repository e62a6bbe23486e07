import type { Stack } from '../../../dev/stack/stack';

interface Kept {
	stack: Stack;
	folder: string;
}

// Jest loads setup and teardown separately: only the global object is the same for both.
const keeper = globalThis as typeof globalThis & { keptStack?: Kept };

export function keepStack(kept: Kept): void {
	keeper.keptStack = kept;
}

export function takeStack(): Kept | undefined {
	return keeper.keptStack;
}
