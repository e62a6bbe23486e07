import type { IDataObject } from 'n8n-workflow';

/** Whether a failed request may have used credits. Errors carry it as `context.charge`. */
export type Charge = 'none' | 'possible';

/**
 * The charge is part of the message, because n8n puts only the message into a failed item's
 * `error`.
 */
const CHARGE_TEXTS: Record<Charge, string> = {
	none: 'Nothing was charged',
	possible: 'The request may have been processed and charged',
};

/** A message, and what the failure means for the user's credits. */
export function withCharge(message: string, charge: Charge): string {
	return `${message.replace(/\.$/, '')}. ${CHARGE_TEXTS[charge]}`;
}

/**
 * Whether the failed request may have been charged, so that sending it again could charge twice.
 */
export function mayBeCharged({ context }: { context: IDataObject }): boolean {
	return context.charge === 'possible';
}
