import { join } from "node:path";
import type { Child, Exit } from "../../base/process/spawn.js";
import type { Ms } from "../../base/units.js";
import { cutMiddle, longerThan } from "../../safety/redact/text.js";
import { type ProcessEndKind, waitForChild } from "../core/child.js";
import type { ToolContext } from "../core/define.js";
import { TOOL_OUTPUT_BYTES } from "../core/keys.js";
import { createOutputBuffer, toReadableText } from "../core/output.js";
import { keepResult } from "../core/spill.js";
import { createOutputProgress } from "./progress.js";

export interface CommandExit {
  readonly code: number;
  readonly how: ProcessEndKind;
  readonly bytes: Buffer;
}

/** Wait for a started command: its end, the timeout, or an interrupt. What holds its pipe longer than it lives is not waited for. */
export async function waitFor(ctx: ToolContext, child: Child, timeout: Ms): Promise<CommandExit> {
  const output = createOutputBuffer();
  const show = createOutputProgress(ctx);
  child.onOutput((chunk) => {
    output.add(chunk);
    show.add(chunk);
  });
  const { how, exit } = await waitForChild(ctx, child, timeout, "children").finally(show.end);
  return {
    code: how === "timeout" ? 124 : how === "interrupted" ? 130 : toShellStatus(exit),
    how,
    bytes: output.bytes(),
  };
}

const SIGNALS: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGQUIT: 3,
  SIGILL: 4,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

/** Exit status as a shell reports it. */
export function toShellStatus(exit: Exit): number {
  return exit.code ?? 128 + (SIGNALS[exit.signal ?? ""] ?? 0);
}

export interface ShownOutput {
  readonly output: string;
  readonly truncated?: true;
  readonly output_file?: string;
}

/** A command that has ended. */
export interface ShownCommand {
  readonly command: string;
  /** `cage`, or `local` outside of it. */
  readonly where: "cage" | "local";
  readonly note: string | undefined;
}

/** The output as the model gets it: readable, redacted, cut; what was cut is whole in a file. */
export async function showOutput(
  ctx: ToolContext,
  given: CommandExit,
  { note, ...ran }: ShownCommand,
): Promise<ShownOutput> {
  const ended = { ...given, bytes: await transformed(ctx, given, ran) };
  const text = ctx.redact(toReadableText(ended.bytes));
  const noted = note === undefined ? text.trim() : `${text.trimEnd()}\n${note}`.trim();
  const max = ctx.config.get(TOOL_OUTPUT_BYTES);
  if (!longerThan(text, max) || ctx.whole === true) return { output: noted };
  const file = await keepWhole(ctx, text);
  const cut = cutMiddle(text, max).trim();
  return {
    output: note === undefined ? cut : `${cut}\n${note}`,
    truncated: true,
    ...(file === undefined ? {} : { output_file: file }),
  };
}

/** What hooks put in the place of the output: they see it before it is cut, stripped of escape sequences and redacted. */
async function transformed(
  { hooks, board, session, state, signal }: ToolContext,
  { bytes, code }: CommandExit,
  { command, where }: Omit<ShownCommand, "note">,
): Promise<Buffer> {
  if (hooks?.has("transform_terminal_output") !== true) return bytes;
  const fields = {
    command,
    output: bytes.toString("utf8"),
    returncode: code,
    task_id: board?.task ?? null,
    session_id: session,
    env_type: where,
    cwd: state.cwd,
  };
  const text = await hooks.transform("transform_terminal_output", fields, signal);
  return text === undefined ? bytes : Buffer.from(text);
}

/** Without room for it the cut output says how much is missing. */
function keepWhole(ctx: ToolContext, text: string): Promise<string | undefined> {
  const dir = ctx.resultDir ?? join(ctx.home.cache, "results", ctx.session);
  return keepResult({ dir, now: () => ctx.ports.clock.now() }, `${ctx.callId.slice(0, 100)}.output`, text);
}
