import type { CommandEntry } from "../commands/entry.js";
import { parseCommandLine } from "./parse-command-line.js";

/** What a command line wants this process to be. */
export interface ModeDecision {
  readonly mode: "command" | "headless" | "workspace" | "acp";
  readonly entry: CommandEntry | undefined;
  readonly globals: Readonly<Record<string, unknown>>;
  /** Variables that options of the line stand for. */
  readonly env: Readonly<Record<string, string>>;
}

/** Read the line as far as it decides about this process. A line that is wrong is a command: running it prints what is wrong. */
export async function decideMode(argv: readonly string[], entries: readonly CommandEntry[]): Promise<ModeDecision> {
  const { Parser } = await import("yargs/helpers");
  const typed = entries.filter((one) => one.surfaces.includes("cli"));
  const { entry, globals, params, words } = parseCommandLine(argv, typed, Parser);
  const env = profileEnv(globals["profile"]);
  const shown = globals["help"] === true || words.length > 0 || globals["oneshot"] !== undefined;
  if (entry === undefined && !shown)
    return { mode: globals["headless"] === true ? "headless" : "workspace", entry, globals, env };
  const chat = entries.find((one) => one.path === "chat");
  const talk =
    entry?.path === "chat" && globals["help"] !== true && params["query"] === undefined && globals["json"] !== true;
  if (talk) return { mode: "workspace", entry, globals, env };
  if (entry?.path === "acp" && globals["help"] !== true && words.every((word) => word === "acp"))
    return { mode: "acp", entry, globals: { ...globals, verbose: params["verbose"] === true }, env };
  const reading = entries.find((one) => one.path === "help");
  return {
    mode: "command",
    entry: globals["help"] === true ? reading : (entry ?? (globals["oneshot"] === undefined ? reading : chat)),
    globals,
    env,
  };
}

function profileEnv(profile: unknown): Record<string, string> {
  return typeof profile === "string" && profile !== "" ? { AGENT_PROFILE: profile } : {};
}
