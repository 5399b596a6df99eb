import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** How many attempts may begin within a span of time, wherever the span lies. */
export interface AttemptBudget {
  /** Take one of `most` per `span`. False: none is left. */
  take(most: number, span: Ms): boolean;
  /** The newest one was not used after all. */
  giveBack(): void;
  /** Milliseconds until one is free again. */
  wait(span: Ms): Ms;
}

export function createBudget(clock: Pick<Clock, "mono">): AttemptBudget {
  let taken: Ms[] = [];
  const within = (span: Ms) => {
    taken = taken.filter((at) => at > clock.mono() - span);
    return taken;
  };
  return {
    take: (most, span) => {
      if (within(span).length >= most) return false;
      taken.push(clock.mono());
      return true;
    },
    giveBack: () => void taken.pop(),
    wait: (span) => {
      const [oldest] = within(span);
      return oldest === undefined ? span : Math.max(1, oldest + span - clock.mono());
    },
  };
}
