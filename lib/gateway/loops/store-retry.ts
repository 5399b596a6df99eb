import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { backoff } from "../settings/delivery-rules.js";

export interface SurelyDeps {
  readonly clock: Clock;
  readonly chance: () => number;
  readonly log: Log;
  readonly scope: { readonly signal: AbortSignal };
}

/**
 * Do something with the store, however long it cannot be used: what is known here is known nowhere else. Rejects when the service is stopped.
 *
 * @param told what is logged at each failure
 */
export async function retryUntilStored<T>(
  { clock, chance, log, scope }: SurelyDeps,
  told: string,
  body: () => Promise<T>,
): Promise<T> {
  for (let failures = 1; ; failures++) {
    try {
      return await body();
    } catch (error) {
      log.error(told, { error: toAppError(error).message });
      await clock.sleep(backoff(1000, failures, chance), scope.signal);
    }
  }
}
