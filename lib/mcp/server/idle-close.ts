import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** What closes a connection, and when. */
export interface IdleCloseParts {
  readonly clock: Clock;
  /** Time without a call after which a server counts as unused; 0: never. */
  readonly idleMs: Ms;
  /** False: what is unused stays connected. */
  readonly closes: boolean;
  /** The server is unused. */
  close(): void;
}

/** Counts the calls of a server, and closes its connection after a time without any. */
export interface IdleClose {
  /** A call begins. @returns what ends it */
  beginCall(): () => void;
  /** Count the time from now on. */
  restart(): void;
  cancel(): void;
  /** There was a call within the time. */
  isInUse(): boolean;
}

/** Nothing is counted before `start` or a call. */
export function createIdleClose({ clock, idleMs, closes, close }: IdleCloseParts): IdleClose {
  let calls = 0;
  let lastUse = clock.mono();
  let cancel = (): void => undefined;
  const restart = (): void => {
    cancel();
    if (idleMs === 0 || !closes) return;
    cancel = clock.after(idleMs, () => {
      if (calls > 0) restart();
      else close();
    });
  };
  return {
    beginCall: () => {
      calls += 1;
      lastUse = clock.mono();
      return () => {
        calls -= 1;
        lastUse = clock.mono();
        restart();
      };
    },
    restart,
    cancel: () => cancel(),
    isInUse: () => idleMs === 0 || clock.mono() - lastUse < idleMs,
  };
}
