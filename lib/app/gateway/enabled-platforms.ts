import { PLATFORMS } from "../../../adapters/platforms/index.gen.js";
import { toAppError } from "../../base/errors.js";
import type { AppOptions } from "../../config/app-options.js";
import { GRAPH_ORIGIN } from "../../contracts/board/platform-tag.js";
import type { PlatformEntry } from "../../gateway/adapter/define-platform.js";
import { pluginPlatforms } from "../../gateway/adapter/plugin-platforms.js";
import { isPlatformEnabled, platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";

export interface Enabled {
  readonly entries: readonly PlatformEntry[];
  /** Why it cannot be said of some, one sentence each. */
  readonly problems: readonly string[];
}

/** The platforms that are to be connected. Nothing of a platform is loaded. */
export function enabledPlatforms(
  options: Pick<AppOptions, "config">,
  all: readonly PlatformEntry[] = [...PLATFORMS, ...pluginPlatforms()],
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

/** Whether settings switch the meetings on. Errors in the switch are reported by their host. */
export function meetingsWanted(options: Pick<AppOptions, "config">): boolean {
  try {
    return platformSettings(GRAPH_ORIGIN, settingsSource(options)).flag("WEBHOOK_ENABLED", false);
  } catch {
    return true; // their host says what is wrong
  }
}
