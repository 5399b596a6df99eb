import { acceptsHooks, isSafeMode } from "../contracts/config/safe-mode.js";
import type { FlagMeta } from "./entry.js";

/** Options that may stand before or after any command (core part, 15.1). */
export const GLOBALS: readonly FlagMeta[] = [
  { name: "version", type: "boolean", describe: "print the version" },
  { name: "help", type: "boolean", describe: "show the options of a command" },
  { name: "oneshot", type: "string", describe: "run one turn and print only the answer; - reads standard input" },
  { name: "stdin", type: "boolean", describe: "append standard input to the prompt" },
  { name: "model", type: "string", describe: "model of this run" },
  { name: "provider", type: "string", describe: "provider of this run; requires --model" },
  { name: "toolsets", type: "string", describe: "comma-separated toolsets" },
  { name: "resume", type: "string", describe: "resume a session by id, unique prefix or title" },
  {
    name: "continue",
    type: "string",
    bare: true,
    describe: "resume the named session, else the latest one of this directory, else of all",
  },
  { name: "profile", type: "string", describe: "use this profile's home" },
  { name: "yolo", type: "boolean", describe: "allow every call that is not denied or always blocked" },
  { name: "allow", type: "string", array: true, describe: "add an allow rule for this run" },
  { name: "deny", type: "string", array: true, describe: "add a deny rule for this run" },
  { name: "json", type: "boolean", describe: "print JSON" },
  { name: "headless", type: "boolean", describe: "own this home without a screen until stopped" },
  { name: "inline", type: "boolean", describe: "line mode with native scrollback" },
  { name: "ephemeral", type: "boolean", describe: "keep the session in memory only" },
  {
    name: "checkpoints",
    type: "boolean",
    describe: "snapshot files before changes, for agent checkpoints and /rollback",
  },
  { name: "max_turns", type: "number", describe: "maximum model requests per turn" },
  { name: "max_cost", type: "number", describe: "maximum cost of the session in USD" },
  { name: "ignore_user_config", type: "boolean", describe: "ignore config.yaml and use defaults" },
  { name: "ignore_rules", type: "boolean", describe: "ignore project files and standing instructions" },
  { name: "safe_mode", type: "boolean", describe: "both ignore options, without plugins, MCP servers and hooks" },
  { name: "accept_hooks", type: "boolean", describe: "approve the configured hooks as they are now" },
  { name: "skills", type: "string", array: true, describe: "skills to load" },
  {
    name: "color",
    type: "string",
    choices: ["auto", "truecolor", "256", "16", "none"],
    describe: "color of the output",
  },
  {
    name: "log_level",
    type: "string",
    choices: ["debug", "info", "warning", "error"],
    describe: "log level while this process owns the home",
  },
];

/** Options that name something: none is named by an empty text. `--continue` stands for the newest session without a name. */
export const NAMING = ["model", "provider", "toolsets", "resume", "profile"] as const;

/** Whether the line asks for defaults in place of `config.yaml`. */
export const ignoresConfig = (globals: Readonly<Record<string, unknown>>): boolean =>
  globals["ignore_user_config"] === true || globals["safe_mode"] === true;

/** Options of a line with what variables ask for in their place. */
export function withVariables(
  globals: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, unknown>> {
  return {
    ...globals,
    ...(isSafeMode(env) ? { safe_mode: true } : {}),
    ...(acceptsHooks(env) ? { accept_hooks: true } : {}),
  };
}

/** Options of every `agent kanban` command besides its own. */
export const KANBAN_GLOBALS: readonly FlagMeta[] = [{ name: "board", type: "string", describe: "board to use" }];

export const GLOBAL_SHORT: Readonly<Record<string, string>> = {
  version: "V",
  help: "h",
  oneshot: "z",
  model: "m",
  toolsets: "t",
  resume: "r",
  continue: "c",
  profile: "p",
  skills: "s",
};
