import { useSandbox } from '../kit/sandbox';

const client = useSandbox();

async function createLink(fields: object): Promise<Response> {
	const form = { profile: 'sandbox-accept', customData: 'applicant-1', mode: '0', ...fields };
	const body = new URLSearchParams(form);
	return await fetch(`${client.url}/portal/links`, { method: 'POST', body });
}

it.each([
	[0, 2],
	[1, 1],
	[2, 1],
	[3, 1],
])('Create link costs and leaves behind what a call in mode %i does', async (mode, credits) => {
	const response = await createLink({ mode: String(mode), customData: 'a "quoted" <b>' });
	const page = await response.text();
	const { links, requests, billed } = await client.state();
	expect(response.status).toBe(200);
	expect(links).toMatchObject([
		{ profile: 'sandbox-accept', mode, version: 3, customData: 'a "quoted" <b>' },
	]);
	expect(requests).toMatchObject([
		{ method: 'POST', path: '/hosted', status: 200, billed: credits, hasApiKey: true },
	]);
	expect(billed).toBe(credits);
	expect(page).toContain(`href="${links[0]?.url}"`);
	expect(page).not.toContain('<b>');
	expect((await client.finish(links[0]?.url ?? '', 'accept')).status).toBe(200);
});
