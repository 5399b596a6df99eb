import type { Ms } from "../../base/units.js";
import type { PassResult } from "../../contracts/board/board.js";

/** What `daemon --force` asks for. What is left out follows the configuration. */
export interface Forced {
  readonly intervalMs?: Ms;
  /** Starts from one interval to the next; 0 starts nothing. */
  readonly max?: number;
  readonly failureLimit?: number;
  /** Told after each pass, with what it did. */
  readonly onPass?: (result: PassResult) => void;
}

/** Whether a user has the dispatcher claim despite the configuration. */
export interface Force {
  /** Undefined: not forced. */
  readonly now: Forced | undefined;
  /** Starts that are left until the next interval. */
  readonly left: number;
  begin(how: Forced): void;
  end(): void;
  /** So many tasks were claimed. */
  used(starts: number): void;
  /** An interval begins. */
  renew(): void;
}

export function createForce(): Force {
  let how: Forced | undefined;
  let used = 0;
  return {
    get now() {
      return how;
    },
    get left() {
      return Math.max(0, (how?.max ?? Number.POSITIVE_INFINITY) - used);
    },
    begin: (wanted) => {
      how = wanted;
      used = 0;
    },
    end: () => {
      how = undefined;
    },
    used: (starts) => {
      used += starts;
    },
    renew: () => {
      used = 0;
    },
  };
}
