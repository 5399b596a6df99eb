// Not bundled: the bundle turns import() into require(), which takes no modules of others.
exports.importFile = (url) => import(url);
