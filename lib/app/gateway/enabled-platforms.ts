import { PLATFORMS } from "../../../adapters/platforms/index.gen.js";
import { toAppError } from "../../base/errors.js";
import type { AppOptions } from "../../config/app-options.js";
import type { PlatformEntry } from "../../gateway/adapter/define-platform.js";
import { isPlatformEnabled, platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";

export interface Enabled {
  readonly entries: readonly PlatformEntry[];
  /** Why it cannot be said of some, one sentence each. */
  readonly problems: readonly string[];
}

/** The platforms that are to be connected. Nothing of a platform is loaded. */
export function enabledPlatforms(
  options: Pick<AppOptions, "config">,
  all: readonly PlatformEntry[] = PLATFORMS,
): Enabled {
  const source = settingsSource(options);
  const entries: PlatformEntry[] = [];
  const problems: string[] = [];
  for (const entry of all) {
    try {
      if (isPlatformEnabled(platformSettings(entry.tag, source), entry.credentials, entry.switches))
        entries.push(entry);
    } catch (error) {
      problems.push(`${entry.tag} is not connected: ${toAppError(error).message}`);
    }
  }
  return { entries, problems };
}

/** Whether settings switch the meetings on. What is wrong with the switch is told by their host. */
export function meetingsWanted(options: Pick<AppOptions, "config">): boolean {
  try {
    return platformSettings("msgraph", settingsSource(options)).flag("WEBHOOK_ENABLED", false);
  } catch {
    return true; // their host says what is wrong
  }
}
