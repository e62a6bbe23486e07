const { existsSync } = require('node:fs');
const { join } = require('node:path');

const IN_PACKAGE = 'nodes/IdentityVerification';

/**
 * The rooms of the package, and from which others each may import, as docs/architecture.md draws
 * them. Each imports only from rooms above it in this list: nothing runs in a circle. A room that
 * is a folder includes its own folders.
 */
const ROOMS = {
	'nodejs.ts': [],
	'progress.ts': [],
	'fileKind.ts': [],
	contract: ['nodejs.ts'],
	'credential.ts': ['nodejs.ts'],
	'item.ts': ['credential.ts', 'progress.ts'],
	n8n: ['credential.ts', 'item.ts'],
	result: ['contract'],
	errors: ['contract', 'credential.ts', 'item.ts'],
	transport: [
		...[
			'contract',
			'credential.ts',
			'errors',
			'fileKind.ts',
			'item.ts',
			'nodejs.ts',
			'progress.ts',
		],
	],
	'webhookAnswer.ts': ['errors'],
	delivery: ['contract', 'credential.ts', 'nodejs.ts', 'webhookAnswer.ts'],
	'operation.ts': ['contract', 'transport'],
	parameters: ['contract', 'errors', 'fileKind.ts', 'item.ts', 'nodejs.ts', 'result', 'transport'],
	trigger: ['contract', 'credential.ts', 'delivery', 'result', 'webhookAnswer.ts'],
	'actions/waitForResult': [
		...['contract', 'credential.ts', 'delivery', 'errors', 'item.ts', 'n8n'],
		...['operation.ts', 'result', 'webhookAnswer.ts'],
	],
	'actions/createHostedLink': [
		...['actions/waitForResult', 'contract', 'delivery', 'errors', 'item.ts'],
		...['operation.ts', 'parameters', 'transport'],
	],
	'actions/downloadFiles': [
		...['contract', 'errors', 'item.ts', 'n8n', 'nodejs.ts', 'operation.ts', 'parameters'],
		'transport',
	],
	'actions/scan': ['contract', 'item.ts', 'operation.ts', 'parameters', 'result', 'transport'],
	batch: [
		...['actions/createHostedLink', 'actions/downloadFiles', 'actions/scan', 'contract'],
		...['credential.ts', 'errors', 'item.ts', 'n8n', 'operation.ts', 'parameters'],
		...['progress.ts', 'result', 'transport'],
	],
	'operations.ts': [
		...['actions/createHostedLink', 'actions/downloadFiles', 'actions/scan'],
		...['actions/waitForResult', 'operation.ts', 'parameters', 'result'],
	],
	'IdentityVerification.node.ts': [
		...['actions/waitForResult', 'batch', 'credential.ts', 'errors', 'item.ts'],
		...['n8n', 'operation.ts', 'operations.ts', 'parameters', 'result', 'webhookAnswer.ts'],
	],
	'IdentityVerificationTrigger.node.ts': ['credential.ts', 'result', 'trigger', 'webhookAnswer.ts'],
};

const N8N = '^node_modules/n8n-workflow/';
const ZOD = '^node_modules/zod/';
const CRYPTO = '^(node:)?crypto$';

/** What the rooms may import besides each other. The contract knows nothing of n8n. */
const packagesOf = (room) => (room === 'contract' ? [ZOD] : [N8N, CRYPTO]);

const pathOf = (room) =>
	`^${IN_PACKAGE}/${room.replaceAll('.', '\\.')}${room.endsWith('.ts') ? '$' : '/'}`;

/** A rule whose path matches nothing would never fail, and so would a room that nobody lists. */
function roomRules() {
	const rooms = Object.keys(ROOMS);
	return rooms.map((room, index) => {
		if (!existsSync(join(__dirname, '..', IN_PACKAGE, room))) throw new Error(`No room ${room}`);
		const lower = rooms.slice(0, index);
		const higher = ROOMS[room].filter((other) => !lower.includes(other));
		if (higher.length > 0) throw new Error(`${room} may not import upwards from ${higher}`);
		return {
			name: `what ${room} may import`,
			severity: 'error',
			from: { path: pathOf(room) },
			to: { pathNot: [...[room, ...ROOMS[room]].map(pathOf), ...packagesOf(room)] },
		};
	});
}

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		...roomRules(),
		{
			name: 'each file belongs to a room',
			severity: 'error',
			from: { path: `^${IN_PACKAGE}/`, pathNot: Object.keys(ROOMS).map(pathOf) },
			to: {},
		},
		{
			name: 'the package stands alone',
			severity: 'error',
			from: { path: '^(nodes|credentials)/' },
			to: { path: '^(dev|test|bench)/' },
		},
		{
			name: 'the sandbox reads the interface for itself',
			severity: 'error',
			from: { path: '^(dev|test)/sandbox/' },
			to: { path: '^(nodes|credentials)/', reachable: true },
		},
		{
			name: 'the kit serves tests, and needs none',
			severity: 'error',
			from: { path: '^test/kit/' },
			to: { path: '^test/', pathNot: '^test/(kit|fixtures)/' },
		},
		{
			name: 'tests share the kit only',
			severity: 'error',
			from: { path: '^test/([^/]+)/' },
			to: { path: '^test/', pathNot: ['^test/$1/', '^test/(kit|fixtures)/'] },
		},
		{
			name: 'the benchmark shares the kit only',
			severity: 'error',
			from: { path: '^bench/' },
			to: { path: '^test/', pathNot: '^test/(kit|fixtures)/' },
		},
		{
			name: 'nothing uses the benchmark',
			severity: 'error',
			from: { pathNot: '^bench/' },
			to: { path: '^bench/' },
		},
		{ name: 'no cycles', severity: 'error', from: {}, to: { circular: true } },
		{
			name: 'all resolves',
			severity: 'error',
			from: {},
			to: { couldNotResolve: true, pathNot: '^(zod|n8n-workflow)$' },
		},
	],
	options: {
		doNotFollow: { path: ['node_modules', '^dev/n8n'] },
		exclude: { path: '^dev/n8n' },
		tsPreCompilationDeps: true,
		enhancedResolveOptions: {
			exportsFields: ['exports'],
			conditionNames: ['import', 'require', 'node', 'default'],
		},
		tsConfig: { fileName: 'tsconfig.json' },
	},
};
