import { aborted } from "../../base/async/aborted.js";
import { AppError } from "../../base/errors.js";
import type { Dispatcher } from "../../board/dispatcher/dispatcher.js";
import type { DispatchNumbers, DispatchTold } from "../../contracts/owner/owner.js";

/** Have a started dispatcher claim whatever the configuration says until the signal aborts. @throws E_OWNER_RUNNING it claims already */
export async function dispatchUntil(
  dispatcher: Dispatcher,
  signal: AbortSignal,
  { intervalSeconds, max, failureLimit }: DispatchNumbers,
  told: DispatchTold,
): Promise<void> {
  const end = dispatcher.force({
    ...(intervalSeconds === undefined ? {} : { intervalMs: intervalSeconds * 1000 }),
    ...(max === undefined ? {} : { max }),
    ...(failureLimit === undefined ? {} : { failureLimit }),
    onPass: (result) => told.passed(result),
  });
  try {
    await told.begun();
    await aborted(signal);
  } finally {
    end();
  }
}

/** The refusal of a second dispatcher. */
export function dispatchesAlready(): AppError {
  return new AppError("E_OWNER_RUNNING", `process ${process.pid} is already dispatching`, { pid: process.pid });
}
