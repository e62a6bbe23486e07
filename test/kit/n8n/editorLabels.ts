import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';

import { IdentityVerificationApi } from '../../../credentials/IdentityVerificationApi.credentials';
import { IdentityVerification } from '../../../nodes/IdentityVerification/IdentityVerification.node';
import { IdentityVerificationTrigger } from '../../../nodes/IdentityVerification/IdentityVerificationTrigger.node';

const { description: action } = new IdentityVerification();
const { description: trigger } = new IdentityVerificationTrigger();

export const { properties: credentialFields } = new IdentityVerificationApi();

/** All parameters of both nodes, those of collections, even in one another, included. */
export const parameters = [...action.properties, ...trigger.properties].flatMap(withEntries);

/** Labels of the options of a parameter with options. */
export function optionNames(parameterName: string): string[] {
	const [parameter] = parameters.filter(({ name }) => name === parameterName);
	return (parameter?.options ?? []).filter(isOption).map(({ name }) => name);
}

function withEntries(parameter: INodeProperties): INodeProperties[] {
	const options = parameter.options ?? [];
	const grouped = options.flatMap((option) => ('values' in option ? option.values : []));
	return [parameter, ...[...options.filter(isParameter), ...grouped].flatMap(withEntries)];
}

function isParameter(entry: object): entry is INodeProperties {
	return 'displayName' in entry && 'type' in entry;
}

function isOption(entry: object): entry is INodePropertyOptions {
	return 'value' in entry;
}
