import type { FlagMeta } from "./entry.js";

/** Options that may stand before or after any command (core part, 15.1). */
export const GLOBALS: readonly FlagMeta[] = [
  { name: "version", type: "boolean", describe: "print the version" },
  { name: "help", type: "boolean", describe: "show what a command takes" },
  { name: "oneshot", type: "string", describe: "work one turn and print only the answer; - reads standard input" },
  { name: "stdin", type: "boolean", describe: "add standard input to the prompt" },
  { name: "model", type: "string", describe: "model for this run" },
  { name: "provider", type: "string", describe: "provider for this run; needs --model" },
  { name: "toolsets", type: "string", describe: "comma list of toolsets" },
  { name: "resume", type: "string", describe: "go on with a session: id, beginning of an id, or title" },
  {
    name: "continue",
    type: "string",
    bare: true,
    describe: "go on with the newest session of this directory, else of all, or with the one that is named",
  },
  { name: "profile", type: "string", describe: "use the home of a profile" },
  { name: "yolo", type: "boolean", describe: "allow everything that is not denied or always blocked" },
  { name: "allow", type: "string", array: true, describe: "rule that allows, for this run" },
  { name: "deny", type: "string", array: true, describe: "rule that denies, for this run" },
  { name: "json", type: "boolean", describe: "print JSON" },
  { name: "headless", type: "boolean", describe: "own this home without a screen until stopped" },
  { name: "inline", type: "boolean", describe: "line mode with native scrollback" },
  { name: "ephemeral", type: "boolean", describe: "keep the session in memory only" },
  {
    name: "checkpoints",
    type: "boolean",
    describe: "keep the state of files before they are changed, for agent checkpoints and /rollback",
  },
  { name: "max_turns", type: "number", describe: "model requests per turn" },
  { name: "max_cost", type: "number", describe: "what the session may cost in USD" },
  { name: "ignore_user_config", type: "boolean", describe: "run on defaults, without config.yaml" },
  { name: "ignore_rules", type: "boolean", describe: "leave out project files and standing instructions" },
  { name: "safe_mode", type: "boolean", describe: "both ignores, no plugins, no hooks" },
  { name: "accept_hooks", type: "boolean", describe: "trust the configured hooks" },
  { name: "skills", type: "string", array: true, describe: "skills to load" },
  {
    name: "color",
    type: "string",
    choices: ["auto", "truecolor", "256", "16", "none"],
    describe: "colours of the output",
  },
  {
    name: "log_level",
    type: "string",
    choices: ["debug", "info", "warning", "error"],
    describe: "what the log keeps while this process owns the home",
  },
];

/** Options that name something: none is named by an empty text. `--continue` stands for the newest session without a name. */
export const NAMING = ["model", "provider", "toolsets", "resume", "profile"] as const;

/** Whether the line asks for defaults in place of `config.yaml`. */
export const ignoresConfig = (globals: Readonly<Record<string, unknown>>): boolean =>
  globals["ignore_user_config"] === true || globals["safe_mode"] === true;

/** Options of every `agent kanban` command besides its own. */
export const KANBAN_GLOBALS: readonly FlagMeta[] = [{ name: "board", type: "string", describe: "board to work on" }];

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
