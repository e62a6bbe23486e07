/** Jest's global teardown. Only the global object is the same as in the setup. */
module.exports = async () => {
	await (globalThis as { stopStack?: () => Promise<void> }).stopStack?.();
};
