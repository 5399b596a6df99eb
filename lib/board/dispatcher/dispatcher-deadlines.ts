import type { Scope } from "../../base/async/service.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms, UnixSeconds } from "../../base/units.js";
import type { BoardKernel } from "../core/kernel.js";
import type { Health } from "./health.js";

/** A deadline that a full pass has met and that is still there, e.g. the lease of a worker that cannot be ended, is met again after this. */
const AGAIN_AFTER: Ms = 5_000;
/** Node's timers hold 24 days; the pass after this sets the timer again. */
const LONGEST: Ms = 3_600_000;

/** Rings when the earliest deadline of all boards has come. */
export interface DispatchDeadlines {
  /** Look for the earliest deadline again. */
  arm(): Promise<void>;
  /** A full pass began at `at`: what was due by then is being met. */
  met(at: UnixSeconds): void;
}

export function createDeadlines(
  deps: { kernel: BoardKernel; clock: Clock; health: Health },
  scope: Scope,
  ring: () => void,
): DispatchDeadlines {
  let metUntil: UnixSeconds = Number.NEGATIVE_INFINITY;
  let cancel: (() => void) | undefined;
  scope.onStop(() => cancel?.());
  return {
    met: (at) => {
      metUntil = at;
    },
    arm: async () => {
      const found = await deps.health.each(await deps.kernel.slugs(), (board) => deps.kernel.nextDeadline(board));
      const next = Math.min(...found.map((at) => at ?? Number.POSITIVE_INFINITY));
      cancel?.();
      cancel = undefined;
      if (scope.signal.aborted || next === Number.POSITIVE_INFINITY) return;
      const wait = next <= metUntil ? AGAIN_AFTER : next * 1000 - deps.clock.now();
      cancel = deps.clock.after(Math.min(Math.max(0, wait), LONGEST), ring);
    },
  };
}
