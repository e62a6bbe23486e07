import { z } from 'zod/v4';

/** A hosted link, as an item of Create Hosted Link holds it. */
export const hostedLink = z.looseObject({ reference: z.string(), url: z.string() });
export type HostedLink = z.infer<typeof hostedLink>;
