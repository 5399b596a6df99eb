import type { LoadedConfig } from "../config/load-config.js";
import type { ConfigKey } from "../contracts/config/config.js";
import { coerce } from "../contracts/ui/key-kinds.js";
import { askUntilValid, type Person } from "./ask-person.js";
import type { SettingChange, StoreSettings } from "./store-change.js";

/** Settings that the parts ask for, in their order. */
export const ASKED = {
  terminal: ["terminal.timeout", "terminal.cwd", "terminal.auto_source_bashrc"],
  agent: ["agent.max_turns", "agent.reasoning_effort", "approvals.mode", "timezone"],
} as const;

/** Ask for settings one by one; each is stored before the next is asked for. @returns what was changed, a line each. @throws E_INTERRUPTED */
export async function setupValues(
  person: Person,
  { config, keep }: { readonly config: LoadedConfig; readonly keep: StoreSettings },
  names: readonly string[],
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const key of config.keys
    .filter((one) => names.includes(one.key))
    .toSorted((a, b) => names.indexOf(a.key) - names.indexOf(b.key))) {
    const text = await asked(person, config, key);
    if (text === undefined) continue;
    await keep([changeOf(key, text)]);
    changed.push(`${key.key} = ${text}`);
  }
  return changed.length === 0 ? ["nothing changed"] : changed;
}

async function asked(person: Person, config: LoadedConfig, key: ConfigKey<unknown>): Promise<string | undefined> {
  await person.say(`  ${key.help}`);
  if (config.source(key) === "environment") {
    await person.say(`  ${key.env} is set and takes precedence: ${String(config.get(key))}`);
    return undefined;
  }
  const problem = (text: string) => {
    const fits = coerce(key.kind, text);
    return fits.ok ? undefined : `The value must be ${fits.wanted}.`;
  };
  return askUntilValid(person, { ask: key.key, kept: String(config.get(key) ?? ""), problem });
}

/** Texts stay texts, whatever they look like. */
const changeOf = ({ key, kind }: ConfigKey<unknown>, text: string): SettingChange => ({
  key,
  text,
  typed: kind.type !== "string" && kind.type !== "choice",
});
