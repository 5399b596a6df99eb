import { aborted } from "../../base/async/aborted.js";
import { AppError } from "../../base/errors.js";
import { systemClock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { HeldListener } from "../../contracts/owner/listeners.js";
import type { CommandContext, CommandResult } from "../define.js";

/** What a command that holds a listener tells about it. */
export interface ListenerReport {
  /** The one line on standard output. */
  readonly ready: string;
  /** What stands there under `--json`. */
  readonly data: Readonly<Record<string, unknown>>;
  /** Lines for the one who started it, on standard error. */
  readonly banner: readonly string[];
}

/**
 * Print where the listener is, and hold it until the caller interrupts or is gone, or it is closed. A listener that was open before is only
 * told.
 *
 * @throws E_OWNER_LOST when the owner stopped under it
 */
export async function holdListener(
  held: HeldListener,
  told: ListenerReport,
  ctx: CommandContext,
): Promise<CommandResult> {
  const { already } = held;
  const done: CommandResult = { data: told.data, streamed: true };
  try {
    await ctx.out(`${ctx.json ? JSON.stringify({ ...told.data, already }) : told.ready}\n`);
    await ctx.err(told.banner.map((line) => `${line}\n`).join(""));
    if (already) return done;
    const why = await Promise.race([held.closed, is(aborted(ctx.signal), "caller" as const)]);
    if (why === "owner") throw new AppError("E_OWNER_LOST", "the owner stopped and closed its listeners");
    if (why === "closed") await ctx.err("agent: the listener was closed\n");
    return done;
  } finally {
    await letGo(held, ctx);
  }
}

/** Closing that takes longer than this is reported as under way. */
const TELL_MS = 300;

/** The second interrupt waits for nothing. */
async function letGo(held: HeldListener, { force, err }: CommandContext): Promise<void> {
  const closing = held.close();
  if (!(await settlesWithin(systemClock, TELL_MS, closing))) {
    await err(`agent: waiting for open requests${force === undefined ? "" : "; interrupt again to abort them"}\n`);
  }
  if (force !== undefined && (await Promise.race([is(closing, false), is(aborted(force), true)]))) await held.close(0);
  await closing;
}

async function is<T>(what: Promise<void>, value: T): Promise<T> {
  await what;
  return value;
}
