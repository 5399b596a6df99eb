import { AppError, systemCode } from "../../lib/base/errors.js";
import { appendFailed, sqlError, unknownOutcome } from "../errors.js";
import { damaged } from "./health.js";
import type { SqliteFiles } from "./wasm.js";

const FULL = new Set(["ENOSPC", "EDQUOT", "EFBIG"]);
const DAMAGE = /malformed|not a database|corrupt|vtable constructor failed/i;
const REFUSED_BY_DISK = /disk I\/O error|database or disk is full|unable to open|could not open|readonly/i;

/** Turn what SQLite threw into our error. The true cause of an I/O error is what the file functions noted. */
export function toStoreError(path: string, thrown: unknown, files: SqliteFiles): AppError {
  if (thrown instanceof AppError) return thrown;
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  const cause = files.failure;
  files.failure = undefined;
  if (files.syncFailure) return syncFailed(path, files.syncFailure);
  if (DAMAGE.test(message)) return damaged(path, message, thrown);
  if (cause === undefined && !REFUSED_BY_DISK.test(message)) return sqlError(thrown, path);
  if (FULL.has(systemCode(cause) ?? ""))
    return new AppError("E_STORE_FULL", `${path}: the disk is full, nothing was changed`, { path }, cause);
  return appendFailed(path, cause ?? thrown);
}

/** Never asked again: what was written before a failed sync may be there or not, and the next sync would not tell. Ends the process. */
export function syncFailed(path: string, cause: unknown): AppError {
  const { code, message, data } = unknownOutcome(path, "the disk failed to sync", cause);
  return new AppError(code, message, { ...data, reason: "sync" }, cause);
}
