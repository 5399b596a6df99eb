import { existsSync, readdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Metafile } from "esbuild";
import { replaceFile } from "./bundle.js";

/** Files that the product reads beside its chunks: source -> name in dist. */
function assetList(): [from: string, to: string][] {
  const topics = existsSync("lib/help/topics")
    ? readdirSync("lib/help/topics").filter((name) => name.endsWith(".md"))
    : [];
  return [
    ["node_modules/sql.js/dist/sql-wasm.wasm", "sql-wasm.wasm"],
    ["node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.wasm", "node-sqlite3-wasm.wasm"],
    ["node_modules/node-sqlite3-wasm/dist/node-sqlite3-wasm.js", "node-sqlite3-wasm.js"],
    ["lib/base/import-file.cjs", "import-file.cjs"],
    ["node_modules/neo-blessed/usr/xterm", "usr/xterm"],
    ["node_modules/neo-blessed/usr/xterm-256color", "usr/xterm-256color"],
    ...filesBelow("adapters/plugins").map((path): [string, string] => [path, path.slice("adapters/".length)]),
    ...["optional", "bundled"].flatMap(skillFiles),
    ...topics.map((name): [string, string] => [join("lib/help/topics", name), join("help", name)]),
  ];
}

/** Every file below a folder. Plugins and skills that come with the product are read as they are, like those that others write. */
function filesBelow(dir: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Skills of one kind, each in `<category>/<name>/`. What lies beside the categories is not shipped: tests of the skills. */
function skillFiles(kind: string): [from: string, to: string][] {
  const root = join("lib/skills", kind);
  if (!existsSync(root)) return [];
  const categories = readdirSync(root, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const files = categories.flatMap(({ name }) => filesBelow(join(root, name)));
  return files.map((path) => [path, path.slice("lib/".length)]);
}

/** Sources of all assets; a new or changed one makes the build stale. */
export const assetSources = (): string[] => assetList().map(([from]) => from);

/** Copy every asset into `outdir`. */
export async function copyAssets(outdir: string): Promise<string[]> {
  const copied = assetList().map(([from, to]): [string, string] => [from, join(outdir, to)]);
  for (const [from, to] of copied) await replaceFile(to, await readFile(from));
  return copied.map(([, to]) => to);
}

/** What tests need in their own process: they look for it beside their chunk. */
export async function copyForTests(outdir: string): Promise<string[]> {
  const copied = assetList().filter(
    ([from, to]) =>
      from.endsWith(".wasm") || from.endsWith("-wasm.js") || from.endsWith(".cjs") || to.startsWith("skills"),
  );
  for (const [from, to] of copied) await replaceFile(join(outdir, to), await readFile(from));
  return copied.map(([, to]) => join(outdir, to));
}

/** Licences of everything that was bundled, as one text. */
export async function licences(meta: Metafile, more: readonly string[]): Promise<string> {
  const names = new Set(
    [...Object.keys(meta.inputs), ...assetSources(), ...more].flatMap(
      (path) => /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1] ?? [],
    ),
  );
  const parts: string[] = [];
  for (const name of [...names].toSorted()) parts.push(await licence(join("node_modules", name), name));
  return parts.join(`\n${"-".repeat(80)}\n\n`);
}

async function licence(folder: string, name: string): Promise<string> {
  const about: { version?: string; license?: string } = JSON.parse(
    await readFile(join(folder, "package.json"), "utf8"),
  );
  const file = readdirSync(folder).find((entry) => /^licen[cs]e/i.test(entry));
  const text =
    file === undefined
      ? "The package has no licence file; its manifest names the licence above.\n"
      : await readFile(join(folder, file), "utf8");
  return `${name} ${about.version ?? ""} (${about.license ?? "see below"})\n\n${text.trim()}\n`;
}
