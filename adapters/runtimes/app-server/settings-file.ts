import { homedir } from "node:os";
import { join, resolve } from "node:path";

/**
 * Directory of the settings and threads of the app-server.
 *
 * @param set `app_server.home`
 */
export function appServerHome(set: string | undefined, env: Readonly<Record<string, string | undefined>>): string {
  const home = env["HOME"] ?? homedir();
  const path = set || env["CODEX_HOME"] || join(home, ".codex");
  return path.startsWith("~/") ? join(home, path.slice(2)) : resolve(home, path);
}

/** Settings of the app-server, which the user may change too. */
export const settingsFile = (home: string): string => join(home, "config.toml");
