import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";

/**
 * A worker that was silent for longer than its lease is kept by its owner, which extends the lease by itself. When that owner is lost, the
 * next one gets this long, and no longer than a lease, to adopt the worker.
 */
const MEET_WITHIN: Ms = 10_000;

/** The right to work, on the worker's own monotonic clock (board part, 7.5). It counts only without an owner. */
export interface Lease {
  /** A heartbeat that was sent at `sentAt` was accepted. */
  accepted(sentAt: Ms, ttl: Ms): void;
  /** The owner is there, or is gone. */
  met(): void;
  lost(): void;
  stop(): void;
}

/** `onEnd` is called once, when the lease has ended while no owner was there. */
export function createLease(clock: Clock, ttl: Ms, onEnd: () => void): Lease {
  let until = clock.mono() + ttl;
  let cancel: (() => void) | undefined;
  const stop = () => {
    cancel?.();
    cancel = undefined;
  };
  return {
    accepted: (sentAt, length) => {
      until = Math.max(until, sentAt + length);
    },
    met: stop,
    lost: () => {
      stop();
      const left = until - clock.mono();
      cancel = clock.after(left > 0 ? left : Math.min(ttl, MEET_WITHIN), onEnd);
    },
    stop,
  };
}
