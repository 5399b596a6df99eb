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
  /** A call begins, connected or not. @returns what ends it */
  beginCall(): () => void;
  /** It is connected: count the time from now on. */
  start(): void;
  /** It is not connected any more. */
  stop(): void;
  /** There was a call within the time. */
  isInUse(): boolean;
}

/** Nothing is counted before `start` or a call. */
export function createIdleClose({ clock, idleMs, closes, close }: IdleCloseParts): IdleClose {
  let calls = 0;
  let lastUse = clock.mono();
  let isConnected = false;
  let cancel = (): void => undefined;
  const restart = (): void => {
    cancel();
    if (!isConnected || idleMs === 0 || !closes) return;
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
    start: () => {
      isConnected = true;
      restart();
    },
    stop: () => {
      isConnected = false;
      cancel();
    },
    isInUse: () => idleMs === 0 || clock.mono() - lastUse < idleMs,
  };
}
