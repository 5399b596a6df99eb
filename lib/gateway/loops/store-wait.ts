import { toAppError } from "../../base/errors.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** After a try that failed: what stops it, mostly a store that cannot be written, stops the next one as well. */
export const FAILED_MS: Ms = 1000;

/** What a command said is known nowhere else: while the store cannot take it, it is given to it again each second. @throws any error that is not a fault of the store */
export async function retryCommandWrite<T>(
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
  store: () => Promise<T>,
  failed: (error: unknown) => void,
): Promise<T> {
  for (;;) {
    try {
      return await store();
    } catch (error) {
      const { code } = toAppError(error);
      if (code !== "E_STORE" && code !== "E_STORE_FULL") throw error;
      failed(error);
      await clock.sleep(FAILED_MS, signal);
    }
  }
}
