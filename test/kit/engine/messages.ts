// What errors of the action node say, where the tests of several folders look for it.

export const MAY_BE_CHARGED = /may have been processed and charged/;

/** Of a stored image whose file was another one, or broke, when it was opened again for sending. */
export const NOT_READ_AGAIN =
	/^The image could not be read again for sending, so the service did not receive a complete request\. Nothing was charged for ".*" \(charge: none\) \[item \d+\]$/;
