import { defineService, type Scope, type Service } from "../../base/async/service.js";
import { createWakeup } from "../../base/async/wakeup.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { createIdleLatch, type IdleLatch } from "./idle-latch.js";
import { FAILED_MS } from "./store-wait.js";

/** Longest time between two looks: a clock that was set and a changed rule are noticed then. */
export const ROUND_MS: Ms = 3_600_000;
/** After a look that failed. */
const BROKEN_MS: Ms = 30_000;

/** A service that can be asked to come to rest before it is stopped. */
export interface Draining extends Service {
  /** Resolves when nothing of it is underway; never, when that does not end or the service is not started. */
  drain(): Promise<void>;
}

/** What the work of a service that looks in rounds is given. */
export interface ServiceRound {
  readonly scope: Scope;
  /** Called when nothing is underway. */
  readonly rest: IdleLatch;
  /** Look again now. */
  ring(): void;
  /** Do something beside everything else, then look again; its errors are logged under `failed`, and it counts as underway for a while longer. */
  beside(body: () => Promise<void>, ended: () => void, failed: string): void;
}

export interface RoundsDeps {
  readonly clock: Clock;
  readonly log: Log;
}

/** `waits`: the log line of a failed look. */
export interface RoundsName {
  readonly name: string;
  readonly waits: string;
}

/**
 * A service that looks for something to do, first when it starts, then whenever it is rung and whenever something is due. `begin` prepares it and gives
 * the look, which answers with the milliseconds until the next one.
 */
export function inRounds(
  { clock, log }: RoundsDeps,
  { name, waits }: RoundsName,
  begin: (round: ServiceRound) => Promise<() => Promise<Ms>>,
): Draining {
  const rest = createIdleLatch();
  const wakeup = createWakeup();
  const ring = () => wakeup.notify();
  const service = defineService(name, async (scope) => {
    const told = (message: string, error: unknown) => {
      if (!scope.signal.aborted) log.error(message, { error: toAppError(error).message });
    };
    const beside: ServiceRound["beside"] = (body, ended, failed) =>
      scope.run(async () => {
        await body().catch(async (error: unknown) => {
          told(failed, error);
          await clock.sleep(FAILED_MS, scope.signal).catch(() => undefined); // it ends early when the service is stopped
        });
        ended();
        ring();
      });
    const look = await begin({ scope, rest, ring, beside });
    scope.loop(async () => {
      const next = await look().catch((error: unknown) => {
        told(waits, error);
        return BROKEN_MS;
      });
      const cancel = clock.after(next, ring);
      await wakeup.wait(scope.signal).finally(cancel);
    });
  });
  const drain = () => {
    const drained = rest.wait();
    ring();
    return drained;
  };
  return { ...service, drain };
}
