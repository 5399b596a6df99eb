import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "./bundle.js";
import { filesWith, KEY_FILES, loadModules } from "./modules.js";
import { ownCommands } from "./own-commands.js";
import { COMMANDS, MENTIONS, PLATFORMS, PROVIDERS, type Registry, TOOLS } from "./registries.js";
import { KEY_TABLE, screenKeys } from "./screen-keys.js";
import { thinSet } from "./thin-set.js";
import { TABLE_FILES, topicTables } from "./topics.js";

const REGISTRIES: readonly Registry[] = [COMMANDS, TOOLS, PROVIDERS, PLATFORMS, MENTIONS];

/** `index` writes the generated tables; `index --check` prints those that are stale and fails. */
export async function main(args: readonly string[]): Promise<number> {
  const stale = await staleTables();
  if (args.includes("--check")) {
    for (const path of stale.keys()) process.stdout.write(`${path}: stale, run make index\n`);
    return stale.size === 0 ? 0 : 1;
  }
  for (const [path, text] of stale) {
    await replaceFile(path, text);
    process.stdout.write(`wrote ${path}\n`);
  }
  return 0;
}

/** Generated files that are not as they should be: path -> right text. */
export async function staleTables(): Promise<ReadonlyMap<string, string>> {
  const wanted = await allTables();
  return new Map([...wanted].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text));
}

async function allTables(): Promise<ReadonlyMap<string, string>> {
  const groups = REGISTRIES.map((registry) => ({ registry, files: filesWith(registry.folder, DEFINITION) }));
  const modules = await loadModules([
    ...new Set([...groups.flatMap(({ files }) => files), ...filesWith(".", KEY_FILES), ...TABLE_FILES, KEY_TABLE]),
  ]);
  const tables = new Map<string, string>();
  for (const { registry, files } of groups) {
    const found = files.map((file) => ({ file, definition: modules.get(file)?.["default"] }));
    tables.set(join(registry.folder, "index.gen.ts"), registry.render(found));
    if (registry !== COMMANDS) continue;
    tables.set("bin/thin-set.gen.ts", thinSet(found));
    tables.set("lib/safety/agent-self/commands.gen.ts", ownCommands(found));
  }
  tables.set("lib/contracts/ui/screen-keys.gen.ts", screenKeys(modules));
  for (const [path, text] of topicTables(modules)) tables.set(path, text);
  return tables;
}

/** The default export is made by a `define...` function. */
export const DEFINITION = /^export default define[A-Z]/m;
