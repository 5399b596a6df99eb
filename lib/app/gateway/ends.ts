import type { SessionId, TurnId } from "../../base/units.js";
import { eventOf } from "../../gateway/batches.js";
import { partsOf } from "../../gateway/parts.js";
import { targetOf } from "../../gateway/target.js";
import type { ChatApi, TurnResult } from "../../proto/chat.js";
import type { Batch, Inbound } from "../../proto/gateway.js";
import type { NewSend, SendKind, TurnEnd } from "../../proto/gateway-outbox.js";

/** What makes the messages of a text one group: a turn, or the event that they answer. */
interface Group {
  readonly kind: SendKind;
  readonly format: "plain" | "markdown";
  readonly turn?: string;
  readonly key: string;
}

/** Messages of the platform for a text; the first one quotes what it answers. */
export function sendsOf(event: Inbound, text: string, { kind, format, turn, key }: Group): readonly NewSend[] {
  const target = targetOf(event);
  if (target === undefined) return [];
  const asked = kind === "answer" || kind === "reply" || kind === "approval";
  return partsOf(target.platform, text, { format, asked }).map(({ payload, via }, seq) => ({
    kind,
    target: seq === 0 ? target : { ...target, replyTo: null },
    payload,
    ...(via === undefined ? {} : { via }),
    ...(turn === undefined ? {} : { turn: { id: turn, seq } }),
    sourceKey: `${key}:${seq}`,
  }));
}

/** The event that a batch is answered to: its last. */
export const lastOf = (batch: Batch): Inbound | undefined => batch.rows.map(eventOf).findLast((event) => event !== undefined);

export function failedEnd(turn: string, batch: Batch, why: string, told: string): TurnEnd {
  const event = lastOf(batch);
  const sends = event === undefined ? [] : sendsOf(event, `⚠️ ${told}`, { kind: "answer", format: "plain", turn, key: `turn:${turn}` });
  return { state: "failed", reason: why, sends };
}

/** What the model answers when nothing is to be said. */
const SILENT = "[SILENT]";

export function endOf(
  turn: string,
  batch: Batch,
  result: Pick<TurnResult, "final_response" | "failed" | "interrupted" | "error">,
): TurnEnd {
  const { final_response: text, failed, interrupted, error } = result;
  if (failed || error !== undefined) {
    const why = error?.message ?? "the turn failed";
    return failedEnd(turn, batch, why, [why, error?.hint ?? ""].filter((line) => line !== "").join("\n"));
  }
  if (interrupted) return { state: "answered", reason: "stopped", sends: [] };
  if (text.trim() === SILENT) return { state: "answered", reason: "silent", sends: [] };
  if (text.trim() === "") return failedEnd(turn, batch, "no answer", "The model gave no answer. Ask again.");
  const event = lastOf(batch);
  const sends = event === undefined ? [] : sendsOf(event, text, { kind: "answer", format: "markdown", turn, key: `turn:${turn}` });
  return { state: "answered", reason: null, sends };
}

/** How a turn ended that an earlier owner worked; undefined: it was cut off. */
export async function storedResult(chat: ChatApi, session: SessionId, turn: TurnId): Promise<TurnResult | undefined> {
  const last = await chat.cursor(session);
  const done = new AbortController();
  try {
    if (last === 0) return undefined;
    for await (const event of chat.events(session, 0, done.signal)) {
      if (event.event === "turn.ended" && event.turn_id === turn) {
        const result = event.data as unknown as TurnResult; // the turn wrote it as one
        return result.exit_reason === "owner_stopped" ? undefined : result;
      }
      if ((event.seq ?? 0) >= last) return undefined;
    }
    return undefined;
  } finally {
    done.abort();
  }
}
