import { randomUUID } from 'node:crypto';

import { Clock } from './clock';
import { FaultList } from './faults';
import type { ImageDigest } from './imageDigest';
import type { ImageKey } from './imageBody';
import type { Decision, LinkBody } from './interface';
import { Manners } from './manners';
import { Traffic } from './model';
import { initialProfiles } from './profiles';
import type { Scenario } from './scenarios';
import { ResultStore } from './results/store';

const INITIAL_CREDITS = 10_000;
const INITIAL_QUOTA = 1_000_000;

/**
 * A request to the service, as `GET /_sandbox/state` shows it. Never holds the API key or an image.
 */
export interface RequestRecord {
	id: string;
	method: string;
	path: string;
	/** The answer's status; null as long as there is none. */
	status: number | null;
	/** Credits that the request cost. */
	billed: number;
	profile?: string;
	customData?: string;
	images: Partial<Record<ImageKey, ImageDigest>>;
	/** All fields of the body but the images. */
	fields: Record<string, unknown>;
	bodyBytes: number;
	hasApiKey: boolean;
	receivedAt: string;
}

/** A hosted verification link. */
export interface LinkRecord {
	reference: string;
	url: string;
	profile: string;
	mode: LinkBody['mode'];
	version: number;
	customData: string;
	contractSign?: unknown;
	createdAt: string;
	/** How often its page was asked for. */
	opened: number;
	finishedAt?: string;
	scenario?: Scenario;
	decision?: Decision;
	transactionId?: string;
}

/** One delivery of a webhook: what the receiver answered, or why it couldn't be reached. */
export interface WebhookAttempt {
	/** Where it was sent: the profile's webhook URL at that time. */
	url: string;
	/** null: there was no answer. */
	status: number | null;
	body: string;
	at: string;
}

export interface WebhookRecord {
	id: string;
	reference: string;
	profile: string;
	decision: Decision;
	customData: string;
	transactionId: string;
	attempts: WebhookAttempt[];
	/** The result as JSON text, for each attempt. */
	payload: string;
}

export interface FileRequestRecord {
	path: string;
	hasApiKey: boolean;
}

/** Everything the sandbox knows. In memory only. */
export class SandboxState {
	credits = INITIAL_CREDITS;
	/** Requests that the account may still send. */
	quota = INITIAL_QUOTA;
	/** Credits deducted so far. */
	billed = 0;
	profiles = initialProfiles();
	requests: RequestRecord[] = [];
	links = new Map<string, LinkRecord>();
	webhooks: WebhookRecord[] = [];
	fileRequests: FileRequestRecord[] = [];
	results = new ResultStore();
	faults = new FaultList();
	/** As fast as possible, unless a model says otherwise. */
	traffic = new Traffic();
	manners = new Manners();
	clock = new Clock();

	/** Deducts the price of a request. */
	charge(request: RequestRecord, credits: number): void {
		request.billed = credits;
		this.credits -= credits;
		this.billed += credits;
		this.quota -= 1;
	}

	/** Back to how it was at start. */
	reset(): void {
		this.credits = INITIAL_CREDITS;
		this.quota = INITIAL_QUOTA;
		this.billed = 0;
		this.profiles = initialProfiles();
		this.requests = [];
		this.links = new Map();
		this.webhooks = [];
		this.fileRequests = [];
		this.results = new ResultStore();
		this.faults.release();
		this.faults = new FaultList();
		this.traffic = new Traffic();
		this.manners = new Manners();
		this.clock.stop();
		this.clock = new Clock();
	}
}

/** A reference or ID that can't be guessed. */
export function newId(): string {
	return randomUUID().replaceAll('-', '');
}
