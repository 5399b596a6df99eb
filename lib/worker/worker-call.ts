import { toAppError } from "../base/errors.js";
import type { Ms } from "../base/units.js";
import { EXIT, type WorkerRun, type WorkerRunDeps, WorkerStop } from "./worker-state.js";

/** How long the end of a conversation may take to be stored after the worker has to stop. The owner kills 5 s after SIGTERM. */
const STORE_WITHIN: Ms = 3_000;
/** Pause before a call is made again that the owner could not store. */
const FULL_DISK_MS: Ms = 5_000;

type CallDeps = Pick<WorkerRunDeps, "client" | "claim" | "clock" | "ids" | "trace">;

/**
 * Calls of a worker to the owner. They wait for an owner, and for space on its disk, until the worker has to stop: its lease bounds both. A key makes
 * each of them happen once, whichever owner gets it.
 */
export function createWorkerCall(deps: CallDeps, control: AbortController): WorkerRun["call"] {
  const prefix = `w${deps.claim.run}-${deps.ids.hex(6)}`;
  let count = 0;
  return async (method, params) => {
    count += 1;
    const key = `${prefix}-${count}`;
    for (let waits = 0; ; waits++) {
      const signal = leaving(deps, control);
      try {
        return await deps.client.call(method, params, { key, signal });
      } catch (error) {
        const { code } = toAppError(error);
        if (code === "E_CLAIM_LOST") control.abort(new WorkerStop(EXIT.lost, "the claim is lost"));
        if (code !== "E_STORE_FULL") throw error;
        if (waits === 0) deps.trace("the disk of the owner is full; waiting for space");
        await deps.clock.sleep(FULL_DISK_MS, signal);
      }
    }
  };
}

/** A worker that has to stop still stores its transcript; one without a claim or an owner cannot. */
function leaving(deps: CallDeps, control: AbortController): AbortSignal {
  const { signal } = control;
  if (!(signal.aborted && signal.reason instanceof WorkerStop && signal.reason.stores)) return signal;
  const late = new AbortController();
  deps.clock.after(STORE_WITHIN, () => late.abort(control.signal.reason));
  return late.signal;
}
