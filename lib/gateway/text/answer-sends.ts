import type { SessionId, TurnId } from "../../base/units.js";
import { type Inbound, type InboxBatch, isHook } from "../../contracts/board/platform-tag.js";
import type { ChatApi, TurnResult } from "../../contracts/chat/chat.js";
import type { InboxTurnEnd, NewSend, SendKind, TurnDelivery } from "../../contracts/gateway/outbox.js";
import { eventOf } from "../inbox/batches.js";
import { toSendTarget } from "../targets/event-target.js";
import { toMessageParts } from "./message-parts.js";
import { isSilentAnswer } from "./silent-answer.js";
import { restFrom } from "./split-text.js";

/** What makes the messages of a text one group: a turn, or the event that they answer. */
interface Group {
  readonly kind: SendKind;
  readonly format: "plain" | "markdown";
  readonly turn?: string;
  readonly key: string;
  /** Message that shows the beginning of the text: it is edited, and what does not fit follows. */
  readonly instead?: string | undefined;
}

/** Messages of the platform for a text; the first one quotes what it answers. */
export function sendsOf(
  event: Inbound,
  text: string,
  { format, turn, key, instead, ...group }: Group,
): readonly NewSend[] {
  const target = toSendTarget(event);
  const kind = isHook(event.platform) ? "webhook" : group.kind;
  if (target === undefined) return [];
  const asked = kind === "answer" || kind === "reply" || kind === "approval";
  return toMessageParts(target.platform, text, { format, asked }).map(({ payload, via }, seq) => ({
    kind,
    target: seq === 0 && instead === undefined ? target : { ...target, replyTo: null },
    ...(seq === 0 && instead !== undefined
      ? { via: "edit" as const, payload: { ...payload, messageId: instead } }
      : { payload, ...(via === undefined ? {} : { via }) }),
    ...(turn === undefined ? {} : { turn: { id: turn, seq } }),
    sourceKey: `${key}:${seq}`,
  }));
}

/** The event that a batch is answered to: its last. */
export const lastOf = (batch: InboxBatch): Inbound | undefined =>
  batch.rows.map(eventOf).findLast((event) => event !== undefined);

export function failedEnd(turn: string, batch: InboxBatch, why: string, told: string): InboxTurnEnd {
  const event = lastOf(batch);
  const sends =
    event === undefined
      ? []
      : sendsOf(event, `⚠️ ${told}`, { kind: "answer", format: "plain", turn, key: `turn:${turn}` });
  return { state: "failed", reason: why, sends };
}

/** Characters of what a provider said that people are shown, and of the whole message about it. */
const DETAIL = 300;
const MESSAGE = 500;

/** The reply to a chat after a failed turn (gateway part, 10.5). */
function wordsOf(error: TurnResult["error"]): string {
  const detail = [...(error?.message ?? "the turn failed").replace(/\s+/g, " ")].slice(0, DETAIL).join("");
  const kind = error === undefined || error.class === "" ? "" : ` (${error.class})`;
  const start = `Sorry, this could not be answered${kind}: ${detail}`;
  const end = " Try again, or /reset to start over.";
  const hint = error?.hint === undefined || error.hint === "" ? "" : `\n${error.hint}.`;
  const whole = `${start}${hint}${end}`;
  return whole.length + 3 <= MESSAGE ? whole : `${[...start].slice(0, MESSAGE - end.length - 6).join("")}…${end}`;
}

/** What a chat reads of a turn that was not asked for; undefined: nothing. */
export function spokenOf({ final_response: text, failed, interrupted, error }: TurnResult): string | undefined {
  if (failed || error !== undefined) return `⚠️ ${wordsOf(error)}`;
  return interrupted || isSilentAnswer(text) || text.trim() === "" ? undefined : text.trim();
}

/** What shows a part of the answer already, and what stands under it. */
export interface AnswerExtras {
  readonly shown?: TurnDelivery | undefined;
  /** "": nothing. */
  readonly footer?: string;
}

/** The end of the rows of a turn that has ended in its conversation. */
export function endOf(
  turn: string,
  batch: InboxBatch,
  result: Pick<TurnResult, "final_response" | "failed" | "interrupted" | "error">,
  { shown, footer = "" }: AnswerExtras = {},
): InboxTurnEnd {
  const { final_response: text, failed, interrupted, error } = result;
  if (failed || error !== undefined) return failedEnd(turn, batch, error?.message ?? "the turn failed", wordsOf(error));
  if (interrupted) return { state: "answered", reason: "stopped", sends: [] };
  if (isSilentAnswer(text)) return { state: "answered", reason: "silent", sends: [] };
  if (text.trim() === "") return failedEnd(turn, batch, "no answer", "The model did not answer. Ask again.");
  const event = lastOf(batch);
  if (event === undefined) return { state: "answered", reason: null, sends: [] };
  const whole = `${text.trim()}${footer === "" ? "" : `\n\n${footer}`}`;
  const seen = shown === undefined ? { rest: whole, instead: undefined } : restOf(whole, shown);
  const group = { kind: "answer", format: "markdown", turn, key: `turn:${turn}`, instead: seen.instead } as const;
  return { state: "answered", reason: null, sends: sendsOf(event, seen.rest, group) };
}

/** What is visible for good is not sent again; the last message that shows some of the text is where it goes on. */
function restOf(text: string, { mode, message_ids, delivered_prefix_length }: TurnDelivery) {
  const ids: readonly string[] = JSON.parse(message_ids);
  if (mode !== "stream") return { rest: text, instead: undefined };
  return { rest: restFrom(text, delivered_prefix_length), instead: ids.at(-1) };
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
