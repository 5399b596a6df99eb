import * as z from "zod";
import { defineMethod, type Methods } from "../../backplane/methods.js";
import type { SettingsApi } from "../../contracts/config/settings.js";

/** The keys of the screen for front ends. */
export const screenKeyMethods = (settings: SettingsApi): Methods =>
  new Map([
    ["screen.keys", defineMethod({ params: z.object({}), access: "read", run: async () => settings.screenKeys() })],
  ]);
