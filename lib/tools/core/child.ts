import type { Child, Exit } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { ToolContext } from "./define.js";

/** Source: core part, 9.1 and 17.2. */
export const END_GRACE: Ms = 2_000;
const READ_ON: Ms = 300;

/** How the process of a call came to its end. */
export type ProcessEndKind = "exited" | "timeout" | "interrupted";

/**
 * Wait for the end of a call's process: its own, the limit, an interrupt. Its output is read when this resolves. What it has started lives on
 * only after an end of its own, and only with `leave: "children"`.
 */
export async function waitForChild(
  ctx: Pick<ToolContext, "ports" | "signal" | "force">,
  child: Child,
  limit: Ms,
  leave: "children" | "nothing",
): Promise<{ readonly how: ProcessEndKind; readonly exit: Exit }> {
  const { spawner, clock } = ctx.ports;
  const kill = () => spawner.signal({ group: child.pid }, "SIGKILL");
  ctx.force?.addEventListener("abort", kill, { once: true });
  if (ctx.force?.aborted) kill();
  const how = await waitForFirstEnd(ctx, child.exited, limit);
  if (how !== "exited") await spawner.endGroup(child.pid, END_GRACE);
  else if (leave === "nothing") await spawner.endGroup(child.pid, 0);
  const exit = await child.exited;
  await readOn(clock, child);
  ctx.force?.removeEventListener("abort", kill);
  return { how, exit };
}

/** What comes first: the end of a process, the limit, or an interrupt. @param ended never rejects */
export function waitForFirstEnd(
  ctx: Pick<ToolContext, "ports" | "signal">,
  ended: Promise<unknown>,
  limit: Ms,
): Promise<ProcessEndKind> {
  return new Promise((resolve) => {
    const settle = (how: ProcessEndKind) => {
      cancel();
      ctx.signal.removeEventListener("abort", onAbort);
      resolve(how);
    };
    const onAbort = () => settle("interrupted");
    const cancel = ctx.ports.clock.after(limit, () => settle("timeout"));
    ctx.signal.addEventListener("abort", onAbort, { once: true });
    if (ctx.signal.aborted) onAbort();
    ended.then(() => settle("exited"), onAbort);
  });
}

/** The pipes of a process that ended close at once, unless a grandchild holds them; that one is not waited for. */
export function readOn(clock: Clock, child: Child): Promise<void> {
  return new Promise((resolve) => {
    const cancel = clock.after(READ_ON, () => {
      child.unref();
      resolve();
    });
    child.closed.then(() => {
      cancel();
      resolve();
    }, resolve);
  });
}
