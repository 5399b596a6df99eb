import type { ShellLine } from "../../contracts/chat/chat.js";
import { chooseCage, resolveCagedPath } from "../core/caged.js";
import type { ToolContext } from "../core/define.js";
import { TERMINAL_TIMEOUT } from "../core/keys.js";
import { liveDirectory } from "../run/scope.js";
import { showOutput, waitFor } from "./run.js";
import { startCommand } from "./script.js";
import { shellOf } from "./shell.js";

/**
 * Run a line that a person typed (core part, 14.4): in the directory of the conversation's terminal, with no approval and no cage. Without a cage
 * the variables that it exports stay for later commands, too; where commands are caged, only the directory stays.
 */
export async function runPersonLine(ctx: ToolContext, command: string): Promise<ShellLine> {
  const caged = (await chooseCage(ctx)).how !== "free";
  const shell = await shellOf(ctx, { how: "outside", pristine: caged });
  const seconds = ctx.config.get(TERMINAL_TIMEOUT);
  const cwd = resolveCagedPath(liveDirectory(ctx), ctx);
  const started = await startCommand(ctx, shell, command, { cwd, pty: false, forPerson: true });
  const ended = await waitFor({ ...ctx, progress: () => undefined }, started.child, seconds * 1_000);
  const left = await started.collect();
  if (left.cwd !== undefined) ctx.state.cwd = left.cwd;
  const { output } = await showOutput(ctx, ended, { note: noteOf(ended.how, seconds), command, where: "local" });
  return { output, exit_code: ended.code, cwd: ctx.state.cwd };
}

function noteOf(how: "exited" | "timeout" | "interrupted", seconds: number): string | undefined {
  if (how === "timeout") return `[Command timed out after ${seconds} s (terminal.timeout)]`;
  return how === "interrupted" ? "[Command interrupted]" : undefined;
}
