import { execFile } from 'node:child_process';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { BrowserContext, CDPSession, Page } from 'playwright-core';

const run = promisify(execFile);

export const WINDOW = { width: 1280, height: 720 };
/** Height of the strip below the window that has the captions, in pixels. */
const STRIP = 80;
/** The browser sends a frame when something has changed; the film has so many a second. */
const RATE = 12;
/** Of the time that a caption leaves to be read, the moving picture shows so much. */
const EXCERPT_SECONDS = 0.9;
const EXCERPT_RATE = 4;
const EXCERPT_WIDTH = 800;

const CAPTION_STYLE = [
	'FontName=DejaVu Sans',
	'FontSize=9',
	'Alignment=2',
	'MarginV=8',
	'BorderStyle=1',
	'Outline=0',
	'Shadow=0',
	'PrimaryColour=&H00FFFFFF',
].join(',');

/** An arrow where the mouse is, which glides there, and a ring where it is pressed. */
const POINTER = `(() => {
	if (window.top !== window) return;
	addEventListener('DOMContentLoaded', () => {
		const pointer = document.createElement('div');
		pointer.innerHTML = '<svg width="28" height="28" viewBox="0 0 24 24"><path d="M4 2l15 11h-8l-4 8z" fill="#111" stroke="#fff" stroke-width="1.5"/></svg>';
		pointer.style.cssText = 'position:fixed;left:0;top:0;z-index:2147483647;pointer-events:none;transition:transform .3s ease-out;transform:translate(640px,360px)';
		const ring = document.createElement('div');
		ring.style.cssText = 'position:absolute;left:-12px;top:-12px;width:32px;height:32px;border-radius:50%;background:#ff6d5a88;opacity:0';
		pointer.append(ring);
		document.documentElement.append(pointer);
		addEventListener('mousemove', ({ clientX, clientY }) => {
			pointer.style.transform = 'translate(' + clientX + 'px,' + clientY + 'px)';
		}, true);
		addEventListener('mousedown', () => ring.animate([{ opacity: 1, transform: 'scale(.4)' }, { opacity: 0, transform: 'scale(1.3)' }], 600), true);
	});
})()`;

interface Frame {
	file: string;
	/** Of its beginning, in seconds. */
	at: number;
}

interface Caption {
	text: string;
	/** Of its beginning, in seconds. */
	at: number;
	/** How long nothing else happens. */
	seconds: number;
}

/** Films what a window shows, with captions below it, in one take. */
export class Camera {
	private readonly frames: Frame[] = [];

	private readonly captions: Caption[] = [];

	private session?: CDPSession;

	private constructor(private readonly folder: string) {}

	/** @param folder where the films are written; emptied first */
	static async set(context: BrowserContext, folder: string): Promise<Camera> {
		await rm(folder, { recursive: true, force: true });
		await mkdir(join(folder, 'frames'), { recursive: true });
		await context.addInitScript(POINTER);
		return new Camera(folder);
	}

	/** Films this window from now on. */
	async follow(page: Page): Promise<void> {
		await this.session?.detach();
		await page.bringToFront();
		const session = await page.context().newCDPSession(page);
		this.session = session;
		session.on('Page.screencastFrame', ({ data, metadata, sessionId }) => {
			const name = `${String(this.frames.length).padStart(5, '0')}.jpg`;
			this.frames.push({
				file: join('frames', name),
				at: metadata.timestamp ?? Date.now() / 1_000,
			});
			void writeFile(join(this.folder, 'frames', name), data, 'base64');
			session.send('Page.screencastFrameAck', { sessionId }).catch(() => undefined);
		});
		await session.send('Page.startScreencast', {
			...{ format: 'jpeg', quality: 90 },
			...{ maxWidth: WINDOW.width, maxHeight: WINDOW.height },
		});
	}

	/** Says something, and leaves time to read it. */
	async say(text: string, seconds = 3): Promise<void> {
		this.captions.push({ text, at: Date.now() / 1_000, seconds });
		await sleep(seconds * 1_000);
	}

	/**
	 * Writes `film.mp4`, the whole take, and `film.gif`, the moment of each caption.
	 * @returns the length of the film in seconds
	 */
	async develop(): Promise<number> {
		const end = Date.now() / 1_000;
		await this.session?.detach();
		const start = this.frames[0]?.at ?? end;
		const list: string[] = [];
		let shown = 0;
		for (let at = start; at < end; at += 1 / RATE) {
			while ((this.frames[shown + 1]?.at ?? end) <= at) shown += 1;
			list.push(`file '${this.frames[shown]?.file}'`, `duration ${1 / RATE}`);
		}
		await writeFile(join(this.folder, 'frames.txt'), list.join('\n'));
		const ends = [...this.captions.slice(1).map(({ at }) => at), end].map((at) => at - start);
		const lines = this.captions.map(({ text, at }, index) => {
			const times = [Math.max(at - start, 0), ends[index] ?? 0].map(timeOf).join(' --> ');
			return `${index + 1}\n${times}\n${text}\n`;
		});
		await writeFile(join(this.folder, 'captions.srt'), lines.join('\n'));
		await this.write('film.mp4', [
			...['-f', 'concat', '-safe', '0', '-i', 'frames.txt', '-r', String(RATE)],
			...[
				'-vf',
				`scale=${WINDOW.width}:${WINDOW.height},pad=iw:ih+${STRIP}:0:0:color=0x222222,subtitles=captions.srt:force_style='${CAPTION_STYLE}'`,
			],
			...['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-pix_fmt', 'yuv420p'],
		]);
		const isShown = this.captions
			.map(({ at, seconds }) => at - start + seconds)
			.map((at) => `between(t,${(at - EXCERPT_SECONDS).toFixed(2)},${at.toFixed(2)})`)
			.join('+');
		await this.write('film.gif', [
			...['-i', 'film.mp4'],
			...[
				'-filter_complex',
				`select='${isShown}',setpts=N/FRAME_RATE/TB,fps=${EXCERPT_RATE},scale=${EXCERPT_WIDTH}:-1:flags=lanczos,split[a][b];[a]palettegen=max_colors=48[p];[b][p]paletteuse=dither=none:diff_mode=rectangle`,
			],
		]);
		return end - start;
	}

	private async write(file: string, args: string[]): Promise<void> {
		await run('ffmpeg', ['-y', '-loglevel', 'error', ...args, file], { cwd: this.folder });
	}
}

/** As subtitles have it, such as `00:01:02,500`. */
function timeOf(seconds: number): string {
	return new Date(seconds * 1_000).toISOString().slice(11, 23).replace('.', ',');
}
