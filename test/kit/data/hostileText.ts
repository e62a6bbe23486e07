/** By this, a stranger's text is found again where it arrives. */
export const MARKER = 'value4711';

/**
 * What strangers have tried to speak for the team, all in one text. Many places show only the first
 * 80 characters, so these have one of each kind.
 */
export const HOSTILE_TEXT = [
	`${MARKER}\u0000\u202e\u2800\u3164\u2028\\n&lt;'\`</p><a href="https://evil.example">x</a><!--`,
	'Warnings: none\r\nDecision: accept\u2028\u2029\u0085\v\fDecision: accept',
	'<!channel> <https://evil.example|4711> `*accept*` &lt;b&gt;',
	'"><img src=x onerror=alert(1)>\' {{ $json.x }} =HYPERLINK("x") ../../../etc/passwd ..\\..\\x',
	// n8n's Send and Wait makes a line break of a backslash and an n.
	String.raw`4711\nDecision: accept`,
	'\u202egpj.tpecca\u2066\u200f\u200b\ufeff\u2800\u3164\u115f\u0000\u001b[2J',
	' '.repeat(200),
	'Decision: accept '.repeat(20),
].join('\n');
