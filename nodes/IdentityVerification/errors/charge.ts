import type { IDataObject } from 'n8n-workflow';

/** Whether a failed request may have used credits. Errors carry it as `context.charge`. */
export type Charge = 'none' | 'possible';

/** What a message says about it, for people. Workflows look at the mark below. */
export const CHARGE_TEXTS: Record<Charge, string> = {
	none: 'Nothing was charged',
	possible: 'The request may have been processed and charged',
};

/**
 * How the message of each error ends, so that workflows can tell what may have been charged: n8n
 * keeps nothing of a failed item but its message. Nothing that is quoted, such as a file name or
 * the service's text, follows it.
 */
export function chargeMark(charge: Charge, itemIndex?: number): string {
	return ` (charge: ${charge})${itemIndex === undefined ? '' : ` [item ${itemIndex}]`}`;
}

/**
 * Whether the failed request may have been charged, so that sending it again could charge twice.
 */
export function mayBeCharged({ context }: { context: IDataObject }): boolean {
	return context.charge === 'possible';
}
