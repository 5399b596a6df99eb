import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";

/** Activity is passed on as a heartbeat at most this often (board part, 7.5). */
const BEAT_EVERY: Ms = 60_000;

/** Call the result for every activity; it sends at most once a minute, and never two at once: with no owner there one waits, and that is enough. */
export function createWorkerHeartbeat(clock: Clock, send: () => Promise<void>): () => void {
  let next = clock.mono() + BEAT_EVERY;
  let sending = false;
  return () => {
    if (sending || clock.mono() < next) return;
    next = clock.mono() + BEAT_EVERY;
    sending = true;
    send()
      .catch(() => undefined) // `send` tells its failures itself
      .finally(() => {
        sending = false;
      });
  };
}
