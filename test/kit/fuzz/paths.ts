import { KNOWN_DATA_KEYS } from '../../../nodes/IdentityVerification/contract/vocabulary';
import { knownKeys } from './results';

const NESTED_KEYS = 'value code severity decision data front back face';

/** Keys that a path may name: the interface's own. */
const PATH_WORDS = new Set([...knownKeys, ...KNOWN_DATA_KEYS, ...NESTED_KEYS.split(' ')]);

/** What a path names that the interface doesn't: it would come from a received body. */
export function foreignWords(path: string): string[] {
	return path.split(/[.[\]*\d]+/).filter((word) => word && !PATH_WORDS.has(word));
}
