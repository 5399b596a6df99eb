import { join } from "node:path";
import type { Child, Exit } from "../../base/process/spawn.js";
import type { Ms } from "../../base/units.js";
import { cutMiddle, longerThan } from "../../safety/redact/text.js";
import { type HowEnded, waitForChild } from "../core/child.js";
import type { ToolContext } from "../core/define.js";
import { TOOL_OUTPUT_BYTES } from "../core/keys.js";
import { createOutputBuffer, readable } from "../core/output.js";
import { keepResult } from "../core/spill.js";
import { createOutputProgress } from "./progress.js";

export interface CommandExit {
  readonly code: number;
  readonly how: HowEnded;
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

/** The output as the model gets it: readable, redacted, cut; what was cut is whole in a file. */
export async function showOutput(ctx: ToolContext, ended: CommandExit, note: string | undefined): Promise<ShownOutput> {
  const text = ctx.redact(readable(ended.bytes));
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

/** Without room for it the cut output says how much is missing. */
function keepWhole(ctx: ToolContext, text: string): Promise<string | undefined> {
  const dir = ctx.resultDir ?? join(ctx.home.cache, "results", ctx.session);
  return keepResult({ dir, now: () => ctx.ports.clock.now() }, `${ctx.callId.slice(0, 100)}.output`, text);
}
