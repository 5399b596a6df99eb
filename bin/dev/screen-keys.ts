import type { ScreenKey } from "../../lib/contracts/ui/screen-keys.js";
import type { Modules } from "./modules.js";

/** Where the workspace has its key table. */
export const KEY_TABLE = "tui/model/keys.ts";

/** Text of lib/contracts/ui/screen-keys.gen.ts: the key table without what the keys do, for the owner, which has no screen. */
export function screenKeys(modules: Modules): string {
  const table = (modules.get(KEY_TABLE)?.["BINDINGS"] ?? []) as readonly ScreenKey[]; // its declared type
  const rows = table.map(({ id, context, keys, label }) => `  ${JSON.stringify({ id, context, keys, label })},\n`);
  return [
    "// Written by `make index`. Do not edit.\n",
    'import type { ScreenKey } from "./screen-keys.js";\n\n',
    "/** Every key of the workspace as it comes. */\n",
    `export const SCREEN_KEYS: readonly ScreenKey[] = [\n${rows.join("")}];\n`,
  ].join("");
}
