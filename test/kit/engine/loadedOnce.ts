/** See environment.js. zod isn't among them, because it asks whether a value is a Promise. */
const LOADED_ONCE = ['n8n-core', 'n8n-workflow', 'fastify', 'fast-check', 'qrcode'];
for (const name of LOADED_ONCE) jest.mock(name, () => fromN8nCore(name));
