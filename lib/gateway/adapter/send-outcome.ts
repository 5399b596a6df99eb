import { unreachable } from "../../base/errors.js";
import type { Observation, Receipt } from "../../contracts/gateway/outbox.js";

/**
 * Judge what an adapter saw of a call (gateway part, 6.4). What cannot be known is `unknown`: a call that was cut off, an answer that is not the
 * platform's own. The first rule that fits holds.
 */
export function toReceipt(seen: Observation): Receipt {
  switch (seen.saw) {
    case "accepted": {
      const { messageId, continuationIds } = seen;
      return { result: "sent", messageId, ...(continuationIds === undefined ? {} : { continuationIds }) };
    }
    case "unsent":
      return { result: "refused", error: seen.error, retryable: true };
    case "cut":
      return { result: "unknown", error: seen.error };
    case "answer":
      return answerOf(seen);
    default:
      return unreachable(seen);
  }
}

function answerOf(seen: Extract<Observation, { readonly saw: "answer" }>): Receipt {
  const { status, ownFormat, error, retryAfterMs } = seen;
  const refused = { result: "refused", error } as const;
  if (status === 429 || retryAfterMs !== undefined) {
    return { ...refused, retryable: true, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
  }
  if (ownFormat && (status >= 500 || seen.tryAgain === true)) return { ...refused, retryable: true };
  if (seen.credential === true) return { ...refused, retryable: true, credential: true };
  if (ownFormat || (status >= 400 && status < 500)) return { ...refused, retryable: false };
  return { result: "unknown", error };
}
