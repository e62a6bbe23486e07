/** What a person does in n8n's editor. */
module.exports = { ...require('../kit/n8n/jest.js'), roots: ['<rootDir>/test/ui'] };
