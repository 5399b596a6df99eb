import type { Clock } from "../base/clock.js";
import type { Ms } from "../base/units.js";

/** After a lost connection the owner that comes next gets at least this long: it adopts a worker whose lease it has extended meanwhile. */
const MEET_WITHIN: Ms = 10_000;

/** The right to work, on the worker's own monotonic clock (board part, 7.5). It counts only while there is no owner. */
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
      cancel = clock.after(Math.max(until - clock.mono(), MEET_WITHIN), onEnd);
    },
    stop,
  };
}
