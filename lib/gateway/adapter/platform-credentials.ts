import { homedir } from "node:os";
import { join, resolve } from "node:path";
import { toAppError } from "../../base/errors.js";
import type { AppOptions } from "../../config/app-options.js";
import { platformSettings, type SettingsSource } from "../settings/platform-settings.js";

/** Where gateways of this user say which credentials they use, whatever home they have. */
export function claimsDir({ config }: Pick<AppOptions, "config">): string {
  const { env } = config;
  const given = env["AGENT_GATEWAY_LOCK_DIR"];
  if (given) return resolve(given);
  return join(env["XDG_STATE_HOME"] || join(env["HOME"] || homedir(), ".local", "state"), "agent", "gateway-locks");
}

/** What the variables say that are a platform's credential; undefined when one is missing, which `connect` tells. */
export function credentialIn(tag: string, variables: readonly string[], source: SettingsSource): string | undefined {
  try {
    const settings = platformSettings(tag, source);
    const values = variables.map((name) => settings.text(name)?.trim() ?? "");
    return values.length === 0 || values.includes("") ? undefined : values.join("\n");
  } catch (error) {
    if (toAppError(error).code === "E_CONFIG") return undefined;
    throw error;
  }
}
