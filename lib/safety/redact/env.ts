import { HOOK_ORIGINS, PLATFORM_TAGS } from "../../contracts/board/platform-tag.js";
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

/** What every shell or interpreter loads or does first. */
const CHANGES_SHELLS: ReadonlySet<string> = new Set(["BASH_ENV", "ENV", "PROMPT_COMMAND", "SHELLOPTS", "BASHOPTS"]);

/** Beside those: service credentials whose names say nothing. */
const DENIED: ReadonlySet<string> = new Set(["SUDO_PASSWORD", "PGPASSFILE", ...CHANGES_SHELLS]);

/** Settings of the gateway: credentials whatever they are called, and who may talk to it. */
function isOfGateway(name: string): boolean {
  const lower = name.toLowerCase();
  return [...PLATFORM_TAGS, ...HOOK_ORIGINS, "gateway"].some((one) => lower.startsWith(`${one}_`));
}

/** A variable of this name reaches the processes that tools start. */
function mayPass(name: string, passthrough: readonly string[] = []): boolean {
  if (OWN_ALLOWED.has(name)) return true;
  if (name.startsWith("AGENT_")) return false;
  if (passthrough.includes(name)) return true;
  return !DENIED.has(name) && !SECRET_PARTS.test(name) && !isOfGateway(name);
}

/** A variable that no command gets of itself, and that a skill may ask for. Our own variables are never given. */
export const isWithheld = (name: string, config: Pick<Config, "get">): boolean =>
  !name.startsWith("AGENT_") && !CHANGES_SHELLS.has(name) && !mayPass(name, config.get(PASSTHROUGH));

/** Environment of a process that a tool starts: `env` without secrets and without our own variables (core part, 17.4). */
export function childEnv(env: Readonly<Record<string, string | undefined>>, config: Config): Record<string, string> {
  const passthrough = config.get(PASSTHROUGH);
  const kept: Record<string, string> = {};
  for (const [name, value] of Object.entries(env))
    if (value !== undefined && mayPass(name, passthrough)) kept[name] = value;
  return kept;
}
