const { n8n } = require('./package.json');

/** Everything that the package registers with n8n, by class name. Needs `npm run build`. */
module.exports = Object.assign(
	{},
	...[...n8n.credentials, ...n8n.nodes].map((file) => require(`./${file}`)),
);
