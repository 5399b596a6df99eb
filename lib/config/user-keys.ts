import { join } from "node:path";
import type { Home } from "../base/home.js";
import type { ScreenKeys } from "../contracts/config/settings.js";
import { SCREEN_KEYS } from "../contracts/ui/screen-keys.gen.js";
import { parseKey, type UserKeys, withUserKeys } from "../contracts/ui/screen-keys.js";
import { readSettingsFile } from "./read-settings.js";

/** `<AGENT_HOME>/keys.yaml`: ids of the key table and their keys. A file that can not be read changes nothing and is a problem. */
export async function readUserKeys({ dir }: Home): Promise<ScreenKeys> {
  const path = join(dir, "keys.yaml");
  const read = await readSettingsFile(path);
  if (!read.ok) return { path, given: {}, problems: [read.message] };
  const problems: string[] = [];
  const given = new Map<string, readonly string[]>();
  for (const [id, value] of Object.entries(read.settings)) {
    const keys = keysFrom(id, value, problems);
    if (keys !== undefined) given.set(id, keys);
  }
  const unfit = withUserKeys(SCREEN_KEYS, given satisfies UserKeys).problems;
  return {
    path,
    given: Object.fromEntries(given),
    problems: [...problems, ...unfit].map((problem) => `${path}: ${problem}`),
  };
}

/** A key, several, or `none`. Undefined: nothing of it could be read, and the action keeps its keys. */
function keysFrom(id: string, value: unknown, problems: string[]): readonly string[] | undefined {
  if (value === "none" || value === null) return [];
  const written = (Array.isArray(value) ? value : [value]).map((one: unknown) =>
    typeof one === "number" ? String(one) : one,
  );
  const keys = written.flatMap((one) => {
    const key = typeof one === "string" ? parseKey(one) : undefined;
    if (key === undefined)
      problems.push(`${id}: unknown key ${JSON.stringify(one)} (write e.g. Alt+M, Ctrl+X, F8, or none)`);
    return key ?? [];
  });
  return keys.length === 0 && written.length > 0 ? undefined : keys;
}
