import type { CredentialValues } from './api';

/**
 * The header by which the team's own backend, such as the main job, proves to the Webhook nodes of
 * the examples who it is. Its value may be known to all, because the instance listens on this
 * machine only.
 */
export const BACKEND_HEADER = {
	name: 'X-Backend-Key',
	value: 'backend-key-of-the-development-instance',
};

/** The same for a request. */
export const AS_BACKEND = { [BACKEND_HEADER.name]: BACKEND_HEADER.value };

/** With this, the team opens the form of the example *Pilot*. */
export const FORM_LOGIN = { user: 'team', password: 'password-of-the-development-instance' };

/** n8n compares the login with this credential, which has the name that the example gives it. */
export const FORM_CREDENTIAL: CredentialValues = {
	name: 'Basic Auth account',
	type: 'httpBasicAuth',
	data: FORM_LOGIN,
};

/** n8n compares the header with this credential, which has the name that the examples give it. */
export const BACKEND_CREDENTIAL: CredentialValues = {
	name: 'Header Auth account',
	type: 'httpHeaderAuth',
	data: BACKEND_HEADER,
};
