/** See environment.js. zod isn't among them, because it asks whether a value is a Promise. */
for (const name of ['n8n-core', 'n8n-workflow']) jest.mock(name, () => fromN8nCore(name));
