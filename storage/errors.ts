import { AppError, type ErrorFacts, systemCode } from "../lib/base/errors.js";

/** Why a store was not opened. Its files are untouched. */
export type Refusal = "damaged" | "diverged" | "foreign" | "newer" | "network_fs" | "readonly" | "closed";

/** A store that cannot be used; `data.reason` says why in one word. */
export function refused(reason: Refusal, message: string, facts: ErrorFacts = {}): AppError {
  return new AppError("E_STORE", message, { reason, ...facts });
}

const FULL = new Set(["ENOSPC", "EDQUOT"]);

/** The journal could not be extended: nothing of the calls concerned is there, and the next call tries again. */
export function appendFailed(store: string, cause: unknown): AppError {
  const code = systemCode(cause) ?? "unknown";
  if (FULL.has(code))
    return new AppError("E_STORE_FULL", `${store}: the disk is full; nothing was changed`, { store, code }, cause);
  return new AppError("E_STORE", `${store}: cannot write (${code}); nothing was changed`, { store, code }, cause);
}

/** Whether the change is on the disk is unknown: the one case in which a caller must look before it repeats. */
export function unknownOutcome(store: string, why: string, cause?: unknown): AppError {
  const hint = "check whether the change was stored before repeating it";
  return new AppError("E_STORE", `${store}: outcome unknown: ${why}`, { store, outcome: "unknown", hint }, cause);
}

/** Give an error of SQLite the form every engine shares: a broken constraint is the caller's conflict, anything else a defect of ours. */
export function sqlError(cause: unknown, sql: string): AppError {
  if (cause instanceof AppError) return cause;
  const message = cause instanceof Error ? cause.message : String(cause);
  if (message.includes("constraint failed")) return new AppError("E_CONFLICT", message, { constraint: message }, cause);
  return new AppError("E_INTERNAL", `${message} in: ${sql.slice(0, 200)}`, {}, cause);
}

/** The memory of an engine is not what was made of it any more. Its files are. */
export class LostMemory extends AppError {
  constructor(cause: unknown) {
    const hint = "check the free memory of this machine, then repeat the command";
    super("E_STORE", "SQLite discarded its cache; nothing was changed, and stored data is on disk", { hint }, cause);
  }
}

/** WebAssembly gave up (memory, a broken invariant of the library), or changes are gone: nothing in that memory can be trusted any more. */
export function isAbort(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error instanceof LostMemory || error.name === "RuntimeError" || isAbort(error.cause);
}
