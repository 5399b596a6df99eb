import type { SendEnding } from "../../../storage/tables/gateway/outbox.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { OutboxRow, Receipt } from "../../contracts/gateway/outbox.js";
import { mayRepeat } from "./send-keys.js";

/** What a decision about a row depends on beside the row. */
export interface SettleRules {
  readonly now: EpochMs;
  /** Before the next attempt, if there is one. */
  readonly wait: Ms;
  readonly resendUnknown: boolean;
}

/**
 * What happens to a row after a call (gateway part, 6.3 to 6.5). A row of which any call may have arrived is never `failed`: it is repeated while
 * its key protects it, then it is `unknown`.
 */
export function settleSend(row: OutboxRow, receipt: Receipt, rules: SettleRules): SendEnding {
  const same = keep(row);
  switch (receipt.result) {
    case "sent":
      return { ...same, state: "sent", uncertain: 0, platform_message_id: receipt.messageId, error: null };
    case "unknown":
      return settleUncertainSend(row, receipt.error, rules);
    case "refused": {
      const { error } = receipt;
      if (!receipt.retryable) return { ...same, state: row.uncertain === 1 ? "unknown" : "failed", error };
      const wait = Math.max(rules.wait, receipt.retryAfterMs ?? 0);
      const next_attempt_at = rules.now + wait;
      // The ledger of the board says when a notice is tried again; that knows how long the platform asked to wait.
      if (row.kind === "board" && row.uncertain === 0) {
        return { ...same, state: "failed", next_attempt_at: rules.now + (receipt.retryAfterMs ?? 0), error };
      }
      if (row.uncertain === 1 && row.resent === 0 && !mayRepeat(row, next_attempt_at))
        return settleUncertainSend(row, error, { ...rules, wait });
      const attempts = receipt.credential ? row.attempts - 1 : row.attempts;
      // A message that was certainly not delivered has not begun to use up the time in which its key protects it.
      const fresh = row.uncertain === 1 ? {} : { first_sent_at: null, repeat_until: null };
      return { ...same, ...fresh, state: "pending", attempts, next_attempt_at, error };
    }
  }
}

/** A row of which a call may have arrived: repeated where that is harmless or wanted, otherwise shown. */
export function settleUncertainSend(
  row: OutboxRow,
  error: string,
  { now, wait, resendUnknown }: SettleRules,
): SendEnding {
  const same = { ...keep(row), uncertain: 1, error };
  const next_attempt_at = now + wait;
  if (row.resent === 0 && mayRepeat(row, next_attempt_at)) return { ...same, state: "pending", next_attempt_at };
  if (row.resent === 0 && resendUnknown) return { ...same, state: "pending", next_attempt_at, resent: 1 };
  return { ...same, state: "unknown" };
}

/** What happens to a row that waited too long. */
export function settleExpiredSend(row: OutboxRow): SendEnding {
  return { ...keep(row), state: row.uncertain === 1 ? "unknown" : "failed", error: "expired" };
}

/** What happens to a row that needs no further call. */
export function dropSend(row: OutboxRow, error: string): SendEnding {
  return { ...keep(row), state: "dropped", error };
}

/** Whether a pending row may be sent now; otherwise it is in doubt and must not. */
export function maySend(row: OutboxRow, now: EpochMs): boolean {
  return row.uncertain === 0 || row.resent === 1 || mayRepeat(row, now);
}

function keep(row: OutboxRow): SendEnding {
  const {
    state,
    attempts,
    next_attempt_at,
    uncertain,
    resent,
    first_sent_at,
    repeat_until,
    platform_message_id,
    error,
  } = row;
  return {
    state,
    attempts,
    next_attempt_at,
    uncertain,
    resent,
    first_sent_at,
    repeat_until,
    platform_message_id,
    error,
  };
}
