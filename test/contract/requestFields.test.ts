import { CREATE_HOSTED_LINK, SCAN } from '../../nodes/IdentityVerification/contract/endpoints';
import type { LinkRequest, ScanRequest } from '../../nodes/IdentityVerification/contract/endpoints';
import type {
	Image,
	RequestFields,
} from '../../nodes/IdentityVerification/transport/requestFields';

const image: Image = { identity: 'a', toJSON: () => '/9j/' };

it('an endpoint names the documented fields that have a parameter', () => {
	expect(SCAN.fields).toEqual(['profile', 'document', 'face']);
	expect(CREATE_HOSTED_LINK.fields).toEqual(
		expect.arrayContaining(['customData', 'mode', 'profile', 'referenceFace', 'contractSign']),
	);
});

const additional = { anything: { goes: true } };

// Types only: `npm run typecheck` fails when one of these mistakes compiles.
export const scans: RequestFields<ScanRequest>[] = [
	{ additional, own: { profile: 'kyc', document: image, face: image } },
	// @ts-expect-error: a misspelt field
	{ additional, own: { profile: 'kyc', document: image, fcae: image } },
	// @ts-expect-error: an image as profile
	{ additional, own: { profile: image, document: image } },
	// @ts-expect-error: any text as image
	{ additional, own: { profile: 'kyc', document: 'text' } },
];
export const link: RequestFields<LinkRequest>['own'] = {
	customData: '',
	mode: 2,
	profile: 'kyc',
	referenceFace: image,
	// @ts-expect-error: an image as template
	contractSign: image,
};
