import { connect } from "../../backplane/client.js";
import { toAppError } from "../../base/errors.js";
import { systemClock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { type CommandLine, overClient } from "../../cli/command-line.js";
import { prefixOf } from "../../cli/invocation.js";

/** Pause between two looks for the next owner. */
const LOOK_MS: Ms = 250;

/**
 * Run a follow command that goes on under the next owner, where it was when the last one ended. Without an owner it waits: this process does
 * not become the owner, which would keep the restarted one out.
 *
 * @param option takes the cursor that the command noted last
 * @param first how it begins
 * @returns exit code
 */
export async function runFollowing(
  line: CommandLine,
  option: string,
  first: (line: CommandLine) => Promise<number>,
): Promise<number> {
  const { caller, argv } = line;
  let cursor: number | undefined;
  const reached = (now: number) => {
    cursor = now;
  };
  const noting = { ...line, caller: { ...caller, remote: { ...caller.remote, reached } } };
  let run = () => first(noting);
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (toAppError(error).code !== "E_OWNER_LOST" || caller.signal.aborted) throw error;
      await caller.err(`${prefixOf(argv)}the owner exited; waiting for the next one\n`);
    }
    run = () => withNextOwner({ ...noting, argv: cursor === undefined ? argv : withOption(argv, option, cursor) });
  }
}

/** The line with the option in place of the one that was given. */
function withOption(argv: readonly string[], option: string, cursor: number): readonly string[] {
  const kept = argv.filter((word, at) => word !== option && argv[at - 1] !== option && !word.startsWith(`${option}=`));
  const end = kept.indexOf("--");
  const at = end < 0 ? kept.length : end;
  return [...kept.slice(0, at), option, String(cursor), ...kept.slice(at)];
}

/** @returns the exit code of the run, or of an interruption while no owner is there */
async function withNextOwner(line: CommandLine): Promise<number> {
  const { caller, home, version } = line;
  const over = AbortSignal.any([caller.signal, caller.gone]);
  while (!over.aborted) {
    const client = await connect(home, { kind: "cli", version }).catch(leaving);
    if (client === undefined)
      await systemClock.sleep(LOOK_MS, over).catch(() => undefined); // ok to lose: the loop ends with the signal
    else
      try {
        return await overClient(line, client);
      } finally {
        client.close();
      }
  }
  return 0;
}

/** An owner that begins or ends refuses; the next look may find it. */
function leaving(error: unknown): undefined {
  if (!["E_BUSY", "E_OWNER", "E_OWNER_LOST"].includes(toAppError(error).code)) throw error;
}
