import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** How late this process does what is due. */
export interface LagMeter {
  /** Longest delay of the last minute, in whole milliseconds. */
  worst(): Ms;
  stop(): void;
}

const EVERY_MS: Ms = 1000;
const SAMPLES = 60;
const SLOW_MS: Ms = 5000;
const TELL_EVERY_MS: Ms = 60_000;

/** Measure from now on, once a second; what is very late is logged, at most once a minute. */
export function startLagMeter(clock: Clock, log: Log): LagMeter {
  const samples: Ms[] = [];
  let told: Ms | undefined;
  let cancel: () => void = () => undefined;
  const measure = () => {
    const due = clock.mono() + EVERY_MS;
    cancel = clock.after(EVERY_MS, () => {
      const late = Math.max(0, Math.round(clock.mono() - due));
      samples.push(late);
      if (samples.length > SAMPLES) samples.shift();
      if (late > SLOW_MS && (told === undefined || clock.mono() - told >= TELL_EVERY_MS)) {
        told = clock.mono();
        log.warning("the process was unresponsive", { ms: late });
      }
      measure();
    });
  };
  measure();
  return { worst: () => Math.max(0, ...samples), stop: () => cancel() };
}
