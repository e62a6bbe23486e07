import { z } from 'zod/v4';

import { SCENARIO_NAMES, SCENARIOS, kebabCase } from './scenarios';
import type { Scenario } from './scenarios';

/** Settings of a profile (interface.md#profile), and the scenario that its scans end with. */
export interface Profile {
	id: string;
	scenario: Scenario;
	webhookUrl?: string;
	auditReport: boolean;
	allowFileUpload: boolean;
	redirectUrl?: string;
	companyName: string;
}

const url = z.string().url();

/** What `PUT /_sandbox/profiles/:id` may change; `null` removes a URL. */
export const profileChange = z
	.object({
		webhookUrl: url.nullable(),
		scenario: z.enum(SCENARIO_NAMES),
		auditReport: z.boolean(),
		allowFileUpload: z.boolean(),
		redirectUrl: url.nullable(),
		companyName: z.string(),
	})
	.partial()
	.strict();
export type ProfileChange = z.infer<typeof profileChange>;

/** The profile with the change applied; a profile that doesn't exist yet starts as accept. */
export function changedProfile(
	id: string,
	profile: Profile | undefined,
	change: ProfileChange,
): Profile {
	const { webhookUrl, redirectUrl, ...settings } = change;
	const changed: Profile = { ...(profile ?? newProfile(id, 'accept')), ...settings };
	if (webhookUrl !== undefined) changed.webhookUrl = webhookUrl ?? undefined;
	if (redirectUrl !== undefined) changed.redirectUrl = redirectUrl ?? undefined;
	return changed;
}

/** The profiles that exist at start: one for each scenario, and one for a whole onboarding. */
export function initialProfiles(): Map<string, Profile> {
	const profiles = SCENARIOS.map(({ scenario }) =>
		newProfile(`sandbox-${kebabCase(scenario)}`, scenario),
	);
	const onboarding = { ...newProfile('sandbox-onboarding', 'accept'), allowFileUpload: true };
	return new Map([onboarding, ...profiles].map((profile) => [profile.id, profile]));
}

function newProfile(id: string, scenario: Scenario): Profile {
	return {
		id,
		scenario,
		auditReport: true,
		allowFileUpload: false,
		companyName: 'Example Company',
	};
}
