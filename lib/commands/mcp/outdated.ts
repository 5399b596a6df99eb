import type { CommandContext, CommandResult } from "../define.js";

/** The answer of a command that changed `mcp_servers`, with what is left to do where the app-server has servers of its own settings. */
export async function withOutdated(
  result: CommandResult,
  { runtimes }: Pick<CommandContext, "runtimes">,
): Promise<CommandResult> {
  const file = await runtimes.outdated();
  if (file === undefined) return result;
  const warning = `the app-server does not know of this change yet: agent vendor-runtime on updates ${file}`;
  return { ...result, warnings: [...(result.warnings ?? []), warning] };
}
