import type { IDataObject } from 'n8n-workflow';

/** Whether a failed request may have used credits. Errors carry it as `context.charge`. */
export type Charge = 'none' | 'possible';

/** For people. Workflows look at the mark below. */
const CHARGE_TEXTS: Record<Charge, string> = {
	none: 'Nothing was charged',
	possible: 'The request may have been processed and charged',
};

/** A message, and what the failure means for the user's credits. */
export function withCharge(message: string, charge: Charge): string {
	return `${message.replace(/\.$/, '')}. ${CHARGE_TEXTS[charge]}`;
}

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
