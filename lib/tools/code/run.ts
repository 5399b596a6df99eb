import type { Child } from "../../base/spawn.js";
import type { Ms } from "../../base/units.js";
import type { ToolContext } from "../define.js";
import { createOutputBuffer } from "../terminal/output.js";
import { codeOf } from "../terminal/run.js";

/** How the process of a call ended. */
export interface Ended {
  readonly how: "exited" | "timeout" | "interrupted";
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

/** Source: core part, 9.1 and 17.2. */
const END_GRACE: Ms = 2_000;
const READ_ON: Ms = 300;
/** Standard error is cut to 10,000; what is kept beyond that is never shown. */
const STDERR_KEPT = 1 << 20;

/** Wait for the end of a process, at most `limit`. Afterwards nothing of its group lives. */
export async function waitForCode(ctx: ToolContext, child: Child, limit: Ms): Promise<Ended> {
  const stdout = createOutputBuffer();
  const stderr = createOutputBuffer(STDERR_KEPT);
  child.onOutput((chunk, stream) => (stream === "stdout" ? stdout : stderr).add(chunk));
  const kill = () => ctx.ports.spawner.signal({ group: child.pid }, "SIGKILL");
  ctx.force?.addEventListener("abort", kill, { once: true });
  if (ctx.force?.aborted) kill();
  const how = await firstOf(ctx, child, limit);
  // What the code has started ends with it: nobody would look after it.
  await ctx.ports.spawner.endGroup(child.pid, how === "exited" ? 0 : END_GRACE);
  const exit = await child.exited;
  await readOn(ctx, child);
  ctx.force?.removeEventListener("abort", kill);
  return { how, code: codeOf(exit), stdout: stdout.bytes(), stderr: stderr.bytes() };
}

function firstOf(ctx: ToolContext, child: Child, limit: Ms): Promise<Ended["how"]> {
  return new Promise((resolve) => {
    const settle = (how: Ended["how"]) => {
      cancel();
      ctx.signal.removeEventListener("abort", onAbort);
      resolve(how);
    };
    const onAbort = () => settle("interrupted");
    const cancel = ctx.ports.clock.after(limit, () => settle("timeout"));
    ctx.signal.addEventListener("abort", onAbort, { once: true });
    if (ctx.signal.aborted) onAbort();
    child.exited.then(() => settle("exited"), onAbort); // `exited` never rejects; the second is for the compiler of promises
  });
}

async function readOn(ctx: ToolContext, child: Child): Promise<void> {
  const done = new AbortController();
  await Promise.race([child.closed, ctx.ports.clock.sleep(READ_ON, done.signal).catch(() => undefined)]);
  done.abort();
  child.unref();
}
