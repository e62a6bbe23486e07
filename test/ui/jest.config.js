const e2e = require('../e2e/jest.config.js');

/** What a person does in n8n's editor, against the same n8n as the e2e tests. */
module.exports = { ...e2e, roots: ['<rootDir>/test/ui'] };
