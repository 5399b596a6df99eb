import { AppError } from "../../lib/base/errors.js";
import { refused } from "../errors.js";
import { restoreHint } from "./files.js";
import type { Memory } from "./memory.js";
import type { Replay } from "./payload.js";

/** Run a journalled transaction again. Each statement must change as many rows as it did. */
export function replay(memory: Memory, transaction: Replay, where: { path: string; seq: number }): void {
  memory.begin();
  try {
    for (const { sql, args, rows } of transaction.changes) {
      memory.all(sql, args);
      const changed = memory.changed();
      if (changed !== rows) throw diverged(transaction, where, `changed ${changed} rows instead of ${rows}`);
    }
    memory.commit();
  } catch (error) {
    memory.rollback();
    if (error instanceof AppError && error.code === "E_STORE") throw error;
    throw diverged(transaction, where, error instanceof Error ? error.message : String(error), error);
  }
}

function diverged(transaction: Replay, where: { path: string; seq: number }, why: string, cause?: unknown): AppError {
  const text = `${where.path}: the journal does not match the checkpoint at ${where.seq} (${transaction.label}): ${why}`;
  const error = refused("diverged", text, { ...where, label: transaction.label, hint: restoreHint });
  return cause === undefined ? error : new AppError(error.code, error.message, error.data, cause);
}
