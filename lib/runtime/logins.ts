import { loginRoot } from "../base/home.js";
import type { AppOptions } from "../config/app-options.js";
import { createLogins, type Logins } from "../logins/logins.js";
import { logRedactor } from "./known-secrets.js";

type LoginOptions = Pick<AppOptions, "home" | "config" | "env" | "clock" | "ids" | "spawner" | "net" | "log">;

/**
 * The logins that this process uses. Nothing is opened yet. Processes share the store: a renewal waits for that of another one.
 *
 * @param readonly The process only looks, and writes nothing.
 */
export function buildLogins(options: LoginOptions, readonly: boolean): Logins {
  const { home, config, clock, ids, spawner, net, log } = options;
  const redact = logRedactor(options.config, options.home);
  const outside = { config, clock, ids, spawner, net, redact, log: log.child("logins") };
  return createLogins({ ...outside, env: config.env, root: loginRoot(home), profile: home.profile, readonly });
}
