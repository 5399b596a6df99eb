import { resolve } from "node:path";
import type { McpAdded } from "../../contracts/mcp/served.js";
import type { CommandContext, CommandResult } from "../define.js";
import { withOutdated } from "./outdated.js";
import { outcomeText } from "./text.js";

/** What `mcp add` and its relatives answer. */
export async function addedResult(added: McpAdded, ctx: Pick<CommandContext, "runtimes">): Promise<CommandResult> {
  const { name, saved, outcome, include, notes } = added;
  const enabled = include === undefined ? "all tools" : `${include.length} of ${outcome.tools.length} tools`;
  const lines = [
    outcomeText(name, outcome),
    saved ? `${name} saved, ${enabled} enabled` : `${name} was not saved`,
    ...notes,
  ];
  const ok = saved && outcome.ok;
  const result = { text: lines.join("\n"), data: { ok, ...added }, exit: ok ? 0 : 1 };
  return saved ? withOutdated(result, ctx) : result;
}

/** A server runs in a directory of its own: what is given relative to the caller's is saved as a whole path. */
export const fromHere =
  (cwd: string) =>
  (text: string): string =>
    /^\.{1,2}(?:\/|$)/.test(text) ? resolve(cwd, text) : text;
