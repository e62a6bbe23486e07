/** Tests against the packed package in a real n8n. */
module.exports = { ...require('../kit/n8n/jest.js'), roots: ['<rootDir>/test/e2e'] };
