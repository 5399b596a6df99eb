import type { Child } from "../../base/process/spawn.js";
import type { Ms } from "../../base/units.js";
import { type ProcessEndKind, waitForChild } from "../core/child.js";
import type { ToolContext } from "../core/define.js";
import { createOutputBuffer } from "../core/output.js";
import { toShellStatus } from "../shell/run.js";

/** How the process of a call ended. */
export interface CodeExit {
  readonly how: ProcessEndKind;
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Standard error is cut to 10,000; what is kept beyond that is never shown. */
const STDERR_KEPT = 1 << 20;

/** Wait for the end of a process, at most `limit`. Afterwards nothing of its group lives: what the code has started is not supervised. */
export async function waitForCode(ctx: ToolContext, child: Child, limit: Ms): Promise<CodeExit> {
  const stdout = createOutputBuffer();
  const stderr = createOutputBuffer(STDERR_KEPT);
  child.onOutput((chunk, stream) => (stream === "stdout" ? stdout : stderr).add(chunk));
  const { how, exit } = await waitForChild(ctx, child, limit, "nothing");
  return { how, code: toShellStatus(exit), stdout: stdout.bytes(), stderr: stderr.bytes() };
}
