import * as z from "zod";
import type { Bus } from "../../backplane/bus.js";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { LoadedConfig } from "../../config/load-config.js";
import type { ConfigKey } from "../../contracts/config/config.js";
import type { SettingsApi } from "../../contracts/config/settings.js";
import { DISPLAY_TOPIC, type DisplaySettings } from "../../contracts/ui/display.js";
import { readThemes } from "./user-themes.js";

type Shown = Pick<LoadedConfig, "keys" | "get" | "onChange">;

const shown = (key: ConfigKey<unknown>): boolean =>
  key.key.startsWith("display.") || key.key.startsWith("paste_collapse_") || key.key.startsWith("voice.");

/** Settings of screens as they are now, and the themes in the home. */
async function readDisplay(config: Shown, home: string): Promise<DisplaySettings> {
  const values = Object.fromEntries(config.keys.filter(shown).map((key) => [key.key, config.get(key)]));
  return { values, themes: await readThemes(home) };
}

/** Settings of screens for front ends. */
export const displayMethods = (config: Shown, home: string): Methods =>
  new Map([
    ["display.get", defineMethod({ params: z.object({}), access: "read", run: () => readDisplay(config, home) })],
  ]);

/** Tell the screens whenever settings change. @returns stops it */
export const tellDisplay = (config: Shown, home: string, { bus, now, onError }: Telling): (() => void) =>
  config.onChange(() => {
    readDisplay(config, home).then(
      (settings) => bus.delta(DISPLAY_TOPIC, { event: "display.changed", at: now(), data: { ...settings } }),
      onError,
    );
  });

interface Telling {
  readonly bus: Bus;
  readonly now: () => string;
  readonly onError: (error: unknown) => void;
}

/** The keys of the screen for front ends. */
export const screenKeyMethods = (settings: SettingsApi): Methods =>
  new Map([
    ["screen.keys", defineMethod({ params: z.object({}), access: "read", run: async () => settings.screenKeys() })],
  ]);
