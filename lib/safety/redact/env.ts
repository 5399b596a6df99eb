import { PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
import type { Config } from "../../contracts/config/config.js";
import { PASSTHROUGH } from "../config/keys.js";

/** Our own variables that a child may have. No other `AGENT_*` name reaches one, so no claim of a board worker does. */
const OWN_ALLOWED: ReadonlySet<string> = new Set([
  "AGENT_HOME",
  "AGENT_PROFILE",
  "AGENT_SESSION_ID",
  "AGENT_WORKER_MARK",
]);

/** Parts of names that mark a secret (core part, 17.4). */
const SECRET_PARTS = /KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|AUTH(?!OR)|DSN|WEBHOOK/i;

/** Service credentials whose names say nothing, and variables that change what every shell or interpreter loads first. */
const DENIED: ReadonlySet<string> = new Set([
  "SUDO_PASSWORD",
  "PGPASSFILE",
  "BASH_ENV",
  "ENV",
  "PROMPT_COMMAND",
  "SHELLOPTS",
  "BASHOPTS",
]);

/** Settings of the gateway: credentials whatever they are called, and who may talk to it. */
const GATEWAY = new RegExp(`^(${[...PLATFORM_TAGS, "gateway", "webhook", "msgraph"].join("|")})_`, "i");

/** A variable of this name reaches the processes that tools start. */
function mayPass(name: string, passthrough: readonly string[] = []): boolean {
  if (OWN_ALLOWED.has(name)) return true;
  if (name.startsWith("AGENT_")) return false;
  if (passthrough.includes(name)) return true;
  return !DENIED.has(name) && !SECRET_PARTS.test(name) && !GATEWAY.test(name);
}

/** Environment of a process that a tool starts: `env` without secrets and without our own variables (core part, 17.4). */
export function childEnv(env: Readonly<Record<string, string | undefined>>, config: Config): Record<string, string> {
  const passthrough = config.get(PASSTHROUGH);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && mayPass(name, passthrough)) kept[name] = value;
  return kept;
}
