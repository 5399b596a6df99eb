import { readFile } from "node:fs/promises";
import type { Plugin } from "esbuild";

/** Widgets are required by computed names there; a bundler only follows literal ones. */
async function plainWidgets(path: string): Promise<string> {
  const source = await readFile(path, "utf8");
  const list = /widget\.classes = \[([\s\S]*?)\];/.exec(source)?.[1];
  if (list === undefined) throw new Error(`${path}: the list of widget classes was not found`);
  // Not used, and they need packages or fonts that are not shipped.
  const left = new Set(["BigText", "Terminal", "Image", "ANSIImage", "OverlayImage", "Video"]);
  const names = [...list.matchAll(/'(\w+)'/g)].flatMap(([, name]) =>
    name !== undefined && !left.has(name) ? [name] : [],
  );
  const lines = names.map(
    (name) => `widget.${name} = widget.${name.toLowerCase()} = require('./widgets/${name.toLowerCase()}');`,
  );
  return ["var widget = exports;", `widget.classes = ${JSON.stringify(names)};`, ...lines, "widget.aliases = {};"].join(
    "\n",
  );
}

/** The terminal descriptions lie in `usr` beside the chunk, or above it for test groups. */
async function movedTerminfo(path: string): Promise<string> {
  const source = await readFile(path, "utf8");
  const find =
    "(function (dir) { for (var i = 0; i < 4 && !require('fs').existsSync(dir + '/usr'); i++) dir = require('path').dirname(dir); return dir; })(__dirname)";
  const moved = source.replaceAll(/__dirname \+ '\/\.\.\/usr/g, `${find} + '/usr`);
  if (moved === source) throw new Error(`${path}: no path to usr was found`);
  return moved;
}

/** Makes neo-blessed fit into a bundle. */
export const blessed: Plugin = {
  name: "blessed",
  setup: (build) => {
    build.onLoad({ filter: /neo-blessed[\\/]lib[\\/]widget\.js$/ }, async ({ path }) => ({
      contents: await plainWidgets(path),
      loader: "js",
    }));
    build.onLoad({ filter: /neo-blessed[\\/]lib[\\/]tput\.js$/ }, async ({ path }) => ({
      contents: await movedTerminfo(path),
      loader: "js",
    }));
  },
};

/**
 * `yargs/helpers` takes all of yargs along, which costs 15 ms in every command; what is used of it is the parser alone. A member that is
 * missing here fails the build.
 */
export const leanYargs: Plugin = {
  name: "lean-yargs",
  setup: (build) => {
    build.onResolve({ filter: /^yargs\/helpers$/ }, () => ({ path: "yargs-helpers", namespace: "lean-yargs" }));
    build.onLoad({ filter: /.*/, namespace: "lean-yargs" }, () => ({
      contents: 'export { default as Parser } from "yargs-parser";',
      resolveDir: process.cwd(),
      loader: "js",
    }));
  },
};
