import { AppError } from "../../base/errors.js";
import { callWithin } from "../../base/process/sync-limit.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/**
 * Call code of a plugin: neither a loop nor a promise that never settles keeps the caller longer than the limit.
 *
 * @param what for the message: `register`
 * @throws E_INVALID when it takes too long; whatever the code throws
 */
export async function callWithTimeLimit<T>(
  clock: Clock,
  limitMs: Ms,
  what: string,
  call: () => T | Promise<T>,
): Promise<T> {
  let cancel = (): void => undefined;
  const late = new Promise<never>((_resolve, reject) => {
    cancel = clock.after(limitMs, () => {
      reject(new AppError("E_INVALID", `${what} did not finish within ${limitMs / 1000} s`));
    });
  });
  late.catch(() => undefined); // reported to its waiter below
  try {
    const result = callWithin(limitMs, call);
    return await Promise.race([result, late]);
  } finally {
    cancel();
  }
}

const MESSAGE_CHARS = 2_000;

/** What is reported of an error that a plugin threw, of any kind. */
export function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.length > MESSAGE_CHARS ? `${text.slice(0, MESSAGE_CHARS)}…` : text;
}
