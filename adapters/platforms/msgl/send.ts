import { toAppError } from "../../../lib/base/errors.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Outgoing, Receipt } from "../../../lib/contracts/gateway/outbox.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import { type Answer, type Api, idsOf, type Message } from "./api.js";
import { type MessageParts, messagesOf } from "./messages.js";
import type { Pushed } from "./pushed.js";

export interface SendParts extends MessageParts {
  readonly api: Api;
  readonly clock: Clock;
  readonly pushed: Pushed;
}

/**
 * Send one row in one call: by its reply token as long as that is usable, else by push. A reply that was certainly refused is pushed, once; one
 * that may have arrived is repeated by the outbox, and the platform's word that the token is used then says that it had.
 */
export async function sendRow(parts: SendParts, row: Outgoing, signal: AbortSignal): Promise<Receipt> {
  if (row.via === "edit" || row.via === "remove") {
    return { result: "refused", error: "messages cannot be changed on this platform", retryable: false };
  }
  const messages = await messagesOf(parts, row).catch((error: unknown) => ({ later: toAppError(error).message }));
  if ("later" in messages) return { result: "refused", error: messages.later, retryable: true };
  if ("refused" in messages) return { result: "refused", error: messages.refused, retryable: false };
  const grant = row.via === "reply" ? row.payload.grant : undefined;
  const { expiresAt = null, token } = grant ?? {};
  const usable = token !== undefined && (expiresAt === null || expiresAt > parts.clock.now());
  if (!usable || (await parts.pushed.has(row.idemKey))) return push(parts, row, messages, signal);
  const answer = await parts.api.reply(token, messages, signal);
  if (answer.ok) return sent(answer);
  const { seen } = answer;
  const invalid = seen.saw === "answer" && seen.status === 400 && /reply token/i.test(seen.error);
  if (row.repeat && invalid) return { result: "sent", messageId: null };
  const certain = seen.saw === "answer" && seen.ownFormat && seen.status !== 401 && seen.status !== 429;
  if (!certain || row.repeat) return toReceipt(seen);
  if (!(await parts.pushed.note(row.idemKey))) return { result: "refused", error: "not stored yet", retryable: true };
  return push(parts, row, messages, signal);
}

async function push(
  { api }: SendParts,
  row: Outgoing,
  messages: readonly Message[],
  signal: AbortSignal,
): Promise<Receipt> {
  const answer = await api.push(row.target.chatId, messages, { key: row.idemKey, signal });
  if (answer.ok) return sent(answer);
  // The key is made for this row alone: who knows it has accepted it.
  return answer.usedKey === true ? { result: "sent", messageId: null } : toReceipt(answer.seen);
}

function sent({ body }: Extract<Answer, { readonly ok: true }>): Receipt {
  const [messageId = null, ...continuationIds] = idsOf(body);
  return { result: "sent", messageId, ...(continuationIds.length === 0 ? {} : { continuationIds }) };
}
