import { poll } from '../../../dev/stack/poll';
import { fixture } from '../../kit/data/fixtures';
import { HOSTILE_TEXT, MARKER } from '../../kit/data/hostileText';
import { DEADLINE, untilStatus } from '../../kit/n8n/waitingFlow';
import { DataTable } from './support/dataTable';
import { textsIn } from './support/html';
import { select } from './support/mailButton';
import { useExample } from './support/useExample';

// test/docs/strangersWords looks at every parameter of the examples that shows what a stranger has
// written. One mail is sent here, because n8n undoes escaping in the text of Send and Wait.

const INVISIBLE = /[^\P{C}\n]|[\u2028\u2029\u2800\p{DI}]/u;

describe('manual-review', () => {
	const example = useExample('manual-review');
	const table = new DataTable(example.api, 'manual-review');

	beforeAll(async () => {
		await table.create();
		await example.start();
	});

	/** What the mail about a result shows: its links, and the lines of its text. */
	async function mailAbout(customData: string) {
		const changes = { customData, transactionId: `T-${customData}` };
		await example.sendResult(fixture('webhook-review', changes));
		const next = () => Promise.resolve(example.outside.takeMails()[0]);
		const mail = await poll(next, { what: 'a mail', ...DEADLINE });
		const [newest] = await example.workflow.list();
		await untilStatus(example.api, String(newest?.id), 'waiting');
		await select(mail, 'Decline');
		await example.takeSucceeded();
		const [text = ''] = textsIn(mail.html, 'p');
		return {
			subject: String(mail.subject),
			links: textsIn(mail.html, 'a'),
			lines: text.split('\n'),
		};
	}

	it('shows the reviewer the same message, whatever Custom Data is', async () => {
		const harmless = await mailAbout(MARKER);
		const hostile = await mailAbout(HOSTILE_TEXT);

		expect(hostile.links).toEqual(harmless.links);
		expect(hostile.lines.map((line) => line.split(MARKER)[0])).toEqual(
			harmless.lines.map((line) => line.split(MARKER)[0]),
		);
		expect(hostile.subject.startsWith(`Please review ${MARKER}`)).toBe(true);
		expect(hostile.subject.length).toBeLessThan(100);
		expect([hostile.subject, ...hostile.lines].join('\n')).not.toMatch(INVISIBLE);
		// The table keeps Custom Data as it is, for the steps that follow.
		expect((await table.rows()).at(-1)).toMatchObject({ customData: expect.stringMatching('<a ') });
	});
});
