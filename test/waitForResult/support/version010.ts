/** The secret of the address and of the signature that version 0.1.0 made for these tests. */
export const SECRET_OF_0_1_0 = 'webhook-secret-of-the-tests';
