import { createRequire } from 'node:module';

import { N8N_PROGRAM } from '../stack/paths';

/** The part of n8n's own clients that is used here. */
interface PostgresClient {
	connect(): Promise<void>;
	query(sql: string): Promise<unknown>;
	end(): Promise<void>;
}
interface RedisClient {
	connect(): Promise<void>;
	keys(pattern: string): Promise<string[]>;
	del(keys: string[]): Promise<number>;
	disconnect(): void;
	on(event: 'error', listener: (error: Error) => void): void;
}

const CONNECT_TIMEOUT_MS = 20_000;

const requireOfN8n = createRequire(N8N_PROGRAM);

/** What n8n's processes of one run share, and nobody else has. */
export interface Shared {
	/** n8n's settings that lead to it. */
	env: Record<string, string>;
	/** Drops the database and the queue. */
	remove(): Promise<void>;
}

/**
 * Makes a database and a queue for one run, with PostgreSQL and Redis from n8n's usual variables.
 * Rejects with a message for people if one of them isn't there.
 */
export async function createShared(name: string): Promise<Shared> {
	const settings = readSettings(process.env);
	await withRedis(settings, async (client) => await client.keys(name));
	await withPostgres(settings, async (client) => await client.query(`CREATE DATABASE "${name}"`));
	const remove = async () => {
		await withPostgres(settings, async (client) => {
			await client.query(`DROP DATABASE IF EXISTS "${name}" WITH (FORCE)`);
		});
		await withRedis(settings, async (client) => {
			const keys = await client.keys(`${name}*`);
			if (keys.length > 0) await client.del(keys);
		});
	};
	const env = {
		...settings,
		DB_POSTGRESDB_DATABASE: name,
		QUEUE_BULL_PREFIX: name,
		N8N_REDIS_KEY_PREFIX: name,
	};
	return { env, remove };
}

type Settings = Record<string, string> & typeof DEFAULTS;

const DEFAULTS = {
	DB_POSTGRESDB_HOST: '127.0.0.1',
	DB_POSTGRESDB_PORT: '5432',
	DB_POSTGRESDB_USER: 'postgres',
	DB_POSTGRESDB_PASSWORD: '',
	/** Where the run's own database is created from. */
	DB_POSTGRESDB_DATABASE: 'postgres',
	QUEUE_BULL_REDIS_HOST: '127.0.0.1',
	QUEUE_BULL_REDIS_PORT: '6379',
	QUEUE_BULL_REDIS_USERNAME: '',
	QUEUE_BULL_REDIS_PASSWORD: '',
	QUEUE_BULL_REDIS_DB: '0',
};

function readSettings(env: NodeJS.ProcessEnv): Settings {
	const given = Object.entries(env).filter(([name, value]) => {
		return /^(DB_POSTGRESDB|QUEUE_BULL_REDIS)_/.test(name) && value;
	});
	return { ...DEFAULTS, ...Object.fromEntries(given) } as Settings;
}

async function withPostgres(
	settings: Settings,
	use: (client: PostgresClient) => Promise<unknown>,
): Promise<void> {
	const { Client } = requireOfN8n('pg') as { Client: new (options: object) => PostgresClient };
	const client = new Client({
		host: settings.DB_POSTGRESDB_HOST,
		port: Number(settings.DB_POSTGRESDB_PORT),
		user: settings.DB_POSTGRESDB_USER,
		password: settings.DB_POSTGRESDB_PASSWORD,
		database: settings.DB_POSTGRESDB_DATABASE,
		connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
	});
	await client.connect().catch((error: unknown) => {
		throw missing('PostgreSQL', 'DB_POSTGRESDB', settings, error);
	});
	await use(client).finally(async () => await client.end());
}

async function withRedis(
	settings: Settings,
	use: (client: RedisClient) => Promise<unknown>,
): Promise<void> {
	const { Redis } = requireOfN8n('ioredis') as { Redis: new (options: object) => RedisClient };
	const client = new Redis({
		host: settings.QUEUE_BULL_REDIS_HOST,
		port: Number(settings.QUEUE_BULL_REDIS_PORT),
		username: settings.QUEUE_BULL_REDIS_USERNAME || undefined,
		password: settings.QUEUE_BULL_REDIS_PASSWORD || undefined,
		db: Number(settings.QUEUE_BULL_REDIS_DB),
		connectTimeout: CONNECT_TIMEOUT_MS,
		lazyConnect: true,
		retryStrategy: () => null,
	});
	// What `connect` rejects with says only that the connection is closed.
	let reason: Error | undefined;
	client.on('error', (error) => {
		reason = error;
	});
	try {
		await client.connect().catch((error: unknown) => {
			throw missing('Redis', 'QUEUE_BULL_REDIS', settings, reason ?? error);
		});
		await use(client);
	} finally {
		client.disconnect();
	}
}

function missing(what: string, prefix: string, settings: Settings, error: unknown): Error {
	const reason = error instanceof Error ? error.message : String(error);
	const where = `${settings[`${prefix}_HOST`]}:${settings[`${prefix}_PORT`]}`;
	return new Error(
		`Queue mode needs ${what}, and there is none to be used at ${where} (${reason}). ` +
			`Start it, or name another one with ${prefix}_HOST, ${prefix}_PORT and the like.`,
	);
}
