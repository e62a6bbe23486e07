const inPackage = '^nodes/IdentityVerification';

/** A part of the house, and the only places that it may import from. All parts may parse a URL. */
function mayImport(name, from, ...to) {
	return {
		name,
		severity: 'error',
		from: { path: `${inPackage}/${from}` },
		to: {
			pathNot: [...to, 'parseUrl\\.ts'].map((part) =>
				part.startsWith('^') ? part : `${inPackage}/${part}`,
			),
		},
	};
}

const ZOD = '^node_modules/zod/';
const N8N = '^node_modules/n8n-workflow/';
const CRYPTO = '^(node:)?crypto$';

/** @type {import('dependency-cruiser').IConfiguration} */
module.exports = {
	forbidden: [
		mayImport('contract', 'contract/', 'contract/', ZOD),
		mayImport('credential', 'credential\\.ts', 'fileHosts\\.ts', N8N),
		mayImport('file hosts', 'fileHosts\\.ts'),
		mayImport('result item', 'resultItem\\.ts', 'contract/', N8N),
		mayImport('outputs', 'outputs\\.ts', 'contract/', N8N),
		mayImport(
			'transport',
			'transport/',
			'transport/',
			'contract/',
			'(credential|fileHosts)\\.ts',
			N8N,
			CRYPTO,
		),
		mayImport('runtime', 'runtime\\.ts', N8N),
		mayImport('webhook answer', 'webhookAnswer\\.ts', N8N),
		mayImport('secret key', 'waiting/secretKey\\.ts', CRYPTO),
		mayImport('waiting address', 'waiting/address\\.ts', 'waiting/secretKey\\.ts', CRYPTO),
		mayImport(
			'delivery',
			'waiting/delivery/',
			'waiting/(delivery/|address\\.ts|secretKey\\.ts)',
			'contract/',
			'credential\\.ts',
			'webhookAnswer\\.ts',
			N8N,
			CRYPTO,
		),
		mayImport(
			'waiting',
			'waiting/',
			'waiting/',
			'actions/(operation|parameters)\\.ts',
			'contract/',
			'transport/',
			'credential\\.ts',
			'outputs\\.ts',
			'resultItem\\.ts',
			'runtime\\.ts',
			'webhookAnswer\\.ts',
			N8N,
			CRYPTO,
		),
		mayImport(
			'paid requests',
			'batch/paid/',
			'batch/paid/',
			'actions/(operation|parameters)\\.ts',
			'contract/text\\.ts',
			'transport/errors\\.ts',
			'credential\\.ts',
			N8N,
			CRYPTO,
		),
		mayImport(
			'batch',
			'batch/[^/]+\\.ts',
			'batch/',
			'actions/(operation|parameters)\\.ts',
			'contract/text\\.ts',
			'transport/',
			'runtime\\.ts',
			'credential\\.ts',
			N8N,
		),
		mayImport(
			'actions',
			'actions/',
			'actions/',
			'contract/',
			'transport/',
			'resultItem\\.ts',
			'outputs\\.ts',
			'runtime\\.ts',
			'credential\\.ts',
			'waiting/',
			N8N,
			CRYPTO,
		),
		mayImport(
			'trigger',
			'trigger/',
			'trigger/',
			'contract/',
			'credential\\.ts',
			'resultItem\\.ts',
			'waiting/address\\.ts',
			'webhookAnswer\\.ts',
			N8N,
			CRYPTO,
		),
		{
			name: 'operations stand alone',
			severity: 'error',
			from: { path: `${inPackage}/actions/\\w+\\.operation\\.ts` },
			to: { path: `${inPackage}/actions/\\w+\\.operation\\.ts` },
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
			// Types first: some of n8n's packages name a source for `import` that they don't ship.
			conditionNames: ['types', 'import', 'require', 'node', 'default'],
		},
		tsConfig: { fileName: 'tsconfig.json' },
	},
};
