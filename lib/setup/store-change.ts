import type { Client } from "../backplane/client.js";
import { ownOr } from "../backplane/elect.js";
import type { CommandLine } from "../cli/command-line.js";
import type { SettingsApi } from "../contracts/config/settings.js";
import type { ModelsApi } from "../contracts/models/models-api.js";
import type { FallbackStep } from "./setup-fallback.js";

/** One value that is to be stored; without a text the key is removed. A name in capitals is a variable of `.env`. */
export interface SettingChange {
  readonly key: string;
  readonly text?: string;
  /** The text is read as `agent config set` reads it; else it is taken as it stands. */
  readonly typed?: boolean;
}

/** Store values as `agent config set` does, in their order. */
export type StoreSettings = (changes: readonly SettingChange[]) => Promise<void>;

/** A home, and how its settings are read again after a change by others. */
export interface SettingsHome extends Pick<CommandLine, "home" | "version"> {
  readonly reload: () => Promise<void>;
}

/** Have the owner of the home do something, or do it as its owner for as long as it takes. */
async function byOwner(
  { home, version, reload }: SettingsHome,
  { there, here }: { readonly there: (client: Client) => Promise<void>; readonly here: () => Promise<void> },
): Promise<void> {
  const met = await ownOr(home, { kind: "cli", version }, there);
  if (met.role === "done") return reload();
  try {
    await here();
  } finally {
    await met.release();
  }
}

/** By the owner of the home. */
export const keepAt =
  (kept: SettingsHome, settings: SettingsApi): StoreSettings =>
  (changes) =>
    byOwner(kept, {
      here: () => keepHere(settings)(changes),
      there: async (client) => {
        for (const { key, text, typed = false } of changes)
          if (text === undefined) await client.call("config.unset", { key });
          else await client.call("config.set", { key, value: text, string: !typed });
      },
    });

/** In this process, which owns the home. */
export const keepHere =
  (settings: SettingsApi): StoreSettings =>
  async (changes) => {
    for (const { key, text, typed = false } of changes)
      if (text === undefined) await settings.unset(key);
      else await settings.set(key, text, { asText: !typed, force: false });
  };

/** Change the fallback chain by the owner of the home. */
export const stepAt =
  (kept: SettingsHome, models: ModelsApi) =>
  (step: FallbackStep): Promise<void> =>
    byOwner(kept, {
      here: () => stepHere(models, step),
      there: async (client) => {
        if ("add" in step) await client.call("fallback.add", { ...step.add });
        else if ("remove" in step) await client.call("fallback.remove", { place: step.remove });
        else if ("move" in step) await client.call("fallback.move", { ...step.move });
        else await client.call("fallback.clear", { yes: true });
      },
    });

/** The same in this process. */
export async function stepHere(models: ModelsApi, step: FallbackStep): Promise<void> {
  if ("add" in step) await models.addFallback(step.add);
  else if ("remove" in step) await models.removeFallback(step.remove);
  else if ("move" in step) await models.moveFallback(step.move.from, step.move.to);
  else await models.clearFallback();
}
