import type { Result } from '../interface';
import { SPECIMENS } from './specimens';
import type { ImageSide } from './specimens';

/** A finished verification: its result as sent, and its pictures. */
export interface StoredResult {
	result: Result;
	pictures: Record<ImageSide, Buffer>;
}

/** Older results are forgotten: their files answer 404. */
const MAX_RESULTS = 1_000;

/** Pictures that users sent are kept for fewer results; then the specimen replaces them. */
const MAX_OWN_PICTURES = 20;

/** The newest results by transaction ID. */
export class ResultStore {
	private readonly results = new Map<string, StoredResult>();
	private readonly ownPictures: string[] = [];

	add(transactionId: string, stored: StoredResult): void {
		this.results.set(transactionId, stored);
		if (this.results.size > MAX_RESULTS) forgetOldest(this.results);
		if (stored.pictures.front !== SPECIMENS.front) this.keepFewPictures(transactionId);
	}

	get(transactionId: string): StoredResult | undefined {
		return this.results.get(transactionId);
	}

	private keepFewPictures(transactionId: string): void {
		this.ownPictures.push(transactionId);
		if (this.ownPictures.length <= MAX_OWN_PICTURES) return;
		const oldest = this.results.get(this.ownPictures.shift() ?? '');
		if (oldest) oldest.pictures.front = SPECIMENS.front;
	}
}

function forgetOldest<Key>(map: Map<Key, unknown>): void {
	for (const key of map.keys()) {
		map.delete(key);
		return;
	}
}
