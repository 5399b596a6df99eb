import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { replaceFile } from "./bundle.js";
import { fixtureTables } from "./fixture-tables.js";
import { filesWith, KEY_FILES, loadModules } from "./modules.js";
import { ownCommands } from "./own-commands.js";
import { PANE_NAMES, PANE_TYPES, PANES, paneNames, paneTypes } from "./pane-tables.js";
import { platformTraits, TRAITS_FILE } from "./platform-traits.js";
import {
  COMMANDS,
  MENTIONS,
  PLATFORMS,
  PROVIDER_IDS_FILE,
  PROVIDERS,
  providerIds,
  type Registry,
  TOOLS,
} from "./registries.js";
import { REPEATED_FILE, repeatedLines } from "./repeated-lines.js";
import { KEY_TABLE, screenKeys } from "./screen-keys.js";
import { allKeys, SETTINGS_FILE } from "./setting-tables.js";
import { thinSet } from "./thin-set.js";
import { TABLE_FILES, topicTables } from "./topics.js";

const REGISTRIES: readonly Registry[] = [COMMANDS, TOOLS, PROVIDERS, PLATFORMS, MENTIONS, PANES];

/** `index` writes the generated tables; `index --check` prints those that are stale and fails. */
export async function main(args: readonly string[]): Promise<number> {
  let stale = await staleTables();
  if (args.includes("--check")) {
    for (const path of stale.keys()) process.stdout.write(`${path}: stale, run make index\n`);
    return stale.size === 0 ? 0 : 1;
  }
  // A table may be read by a definition: tags of platforms by a command, the panes by the table of keys.
  for (let round = 0; stale.size > 0 && round < ROUNDS; round += 1) {
    for (const [path, text] of stale) {
      await replaceFile(path, text);
      process.stdout.write(`wrote ${path}\n`);
    }
    stale = await staleTables();
  }
  return 0;
}

/** Of two tables one may be read by the other's definitions; more is a circle, which the check of stale tables tells. */
const ROUNDS = 3;

/** Generated files that are not as they should be: path -> right text. */
export async function staleTables(): Promise<ReadonlyMap<string, string>> {
  const wanted = await allTables();
  return new Map([...wanted].filter(([path, text]) => !existsSync(path) || readFileSync(path, "utf8") !== text));
}

async function allTables(): Promise<ReadonlyMap<string, string>> {
  const groups = REGISTRIES.map((registry) => ({ registry, files: filesWith(registry.folder, DEFINITION) }));
  const settings = filesWith(".", KEY_FILES);
  const modules = await loadModules([
    ...new Set([...groups.flatMap(({ files }) => files), ...settings, ...TABLE_FILES, KEY_TABLE]),
  ]);
  const tables = new Map<string, string>();
  for (const { registry, files } of groups) {
    const found = files.map((file) => ({ file, definition: modules.get(file)?.["default"] }));
    tables.set(join(registry.folder, "index.gen.ts"), registry.render(found));
    if (registry === PROVIDERS) tables.set(PROVIDER_IDS_FILE, providerIds(found));
    if (registry === PANES) tables.set(PANE_TYPES, paneTypes(found)).set(PANE_NAMES, paneNames(found));
    if (registry === PLATFORMS) tables.set(TRAITS_FILE, platformTraits(found));
    if (registry !== COMMANDS) continue;
    tables.set("bin/thin-set.gen.ts", thinSet(found));
    tables.set(REPEATED_FILE, repeatedLines(found));
    tables.set("lib/safety/agent-self/commands.gen.ts", ownCommands(found));
  }
  tables.set(SETTINGS_FILE, allKeys(new Map(settings.map((file) => [file, modules.get(file) ?? {}]))));
  tables.set("lib/contracts/ui/screen-keys.gen.ts", screenKeys(modules));
  for (const [path, text] of [...topicTables(modules), ...fixtureTables()]) tables.set(path, text);
  return tables;
}

/** The default export is made by a `define...` function. */
export const DEFINITION = /^export default define[A-Z]/m;
