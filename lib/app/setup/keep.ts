import { ownOr } from "../../backplane/elect.js";
import type { SettingsApi } from "../../proto/settings.js";
import type { CommandLine } from "../command-line.js";

/** One value that is to be stored; without a text the key is removed. A name in capitals is a variable of `.env`. */
export interface Change {
  readonly key: string;
  readonly text?: string;
  /** The text is read as `agent config set` reads it; else it is taken as it stands. */
  readonly typed?: boolean;
}

/** Store values as `agent config set` does, in their order. */
export type Keep = (changes: readonly Change[]) => Promise<void>;

/** By the owner of the home, or as its owner for as long as it takes. */
export const keepAt =
  ({ home, version }: Pick<CommandLine, "home" | "version">, settings: SettingsApi, reload: () => Promise<void>): Keep =>
  async (changes) => {
    const met = await ownOr(home, { kind: "cli", version }, async (client) => {
      for (const { key, text, typed = false } of changes)
        if (text === undefined) await client.call("config.unset", { key });
        else await client.call("config.set", { key, value: text, string: !typed });
    });
    if (met.role === "done") return reload();
    try {
      await keepHere(settings)(changes);
    } finally {
      await met.release();
    }
  };

/** In this process, which owns the home. */
export const keepHere =
  (settings: SettingsApi): Keep =>
  async (changes) => {
    for (const { key, text, typed = false } of changes)
      if (text === undefined) await settings.unset(key);
      else await settings.set(key, text, { asText: !typed, force: false });
  };
