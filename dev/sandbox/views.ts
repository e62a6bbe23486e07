import { join } from 'node:path';
import { Eta } from 'eta';

const eta = new Eta({ views: join(__dirname, 'views'), cache: true });

/** Renders a template of views/ as a whole page. Values are escaped; `time` shows one. */
export function renderPage(template: string, values: object): string {
	return eta.render(`./${template}`, { time, ...values });
}

function time(date: Date | string): string {
	return `${new Date(date).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
