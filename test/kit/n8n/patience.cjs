const { Script } = require('node:vm');

/**
 * Loaded by an n8n under test: it ends each regular expression of a node after 250 ms of wall time,
 * in which a busy machine may give it no processor at all.
 */
const OF_REGULAR_EXPRESSIONS = 250;
const A_MINUTE = 60_000;

const { runInContext } = Script.prototype;

Script.prototype.runInContext = function (context, options) {
	const isOne = options?.timeout === OF_REGULAR_EXPRESSIONS;
	return runInContext.call(this, context, isOne ? { ...options, timeout: A_MINUTE } : options);
};
