import { runInThisContext } from "node:vm";
import { AppError } from "../errors.js";
import type { Ms } from "../units.js";

/** Name under which the call is found by the script that runs it. */
const SLOT = Symbol.for("agent.limited-call");

/**
 * Call a function of others, and interrupt it when its synchronous part takes longer. What it awaits is not counted: bound that with a timer.
 *
 * @throws E_INVALID when it was interrupted; whatever the function throws
 */
export function callWithin<T>(limitMs: Ms, call: () => T): T {
  let result: { readonly value: T } | undefined;
  Reflect.set(globalThis, SLOT, () => {
    result = { value: call() };
  });
  try {
    // The engine's own watchdog ends the script, and with it the functions that it called.
    runInThisContext(`globalThis[Symbol.for("agent.limited-call")]()`, { timeout: Math.max(1, limitMs) });
  } catch (error) {
    const code: unknown = typeof error === "object" && error !== null ? Reflect.get(error, "code") : undefined;
    if (code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new AppError("E_INVALID", `it did not return within ${limitMs / 1000} s`);
  } finally {
    Reflect.deleteProperty(globalThis, SLOT);
  }
  if (result === undefined) throw new AppError("E_INTERNAL", "the call returned without a result");
  return result.value;
}
