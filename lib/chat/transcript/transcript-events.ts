import type { Store, StoredEvent } from "../../../storage/store.js";
import * as events from "../../../storage/tables/sessions/events.js";
import * as messages from "../../../storage/tables/sessions/messages.js";
import type { SessionId, TurnId } from "../../base/units.js";
import type { ChatEvent, MessageRecord } from "../../contracts/chat/chat.js";
import { toMessageJson } from "../../contracts/wire/shapes/session-json.js";
import { recentMessage } from "./recent.js";

/** Core part, 1.4: content of a message in an event. */
const CONTENT_BYTES = 32_000;
const PAGE = 500;
const WITH_MESSAGE = new Set(["message.added", "message.hidden", "message.restored"]);

/**
 * Give stored events the form that front ends get: references to messages become the messages, their content cut to 32 kB. The event of a
 * message that was deleted since keeps its `message_id` alone. Events that belong to no session are left out.
 */
export function hydrate(store: Store, stored: readonly StoredEvent[]): Promise<readonly ChatEvent[]> {
  return withMessages(store, stored, new Map());
}

/** The same for events that were committed just now: most of their messages are still at hand. */
export function hydrateFresh(store: Store, stored: readonly StoredEvent[]): Promise<readonly ChatEvent[]> {
  const added = stored.filter((event) => event.kind === "message.added").flatMap((event) => messageId(event) ?? []);
  const known = added.flatMap((id) => recentMessage(store, id) ?? []);
  return withMessages(store, stored, new Map(known.map((message) => [message.id, message])));
}

type ById = ReadonlyMap<number, MessageRecord>;

async function withMessages(store: Store, stored: readonly StoredEvent[], known: ById): Promise<readonly ChatEvent[]> {
  const ids = new Set(stored.flatMap((event) => messageId(event) ?? []).filter((id) => !known.has(id)));
  const found = ids.size === 0 ? [] : await store.read((q) => messages.byIds(q, [...ids]));
  const byId = new Map([...known, ...found.map((message) => [message.id, message] as const)]);
  return stored.flatMap((event) => {
    if (event.session === undefined) return [];
    const message = byId.get(messageId(event) ?? -1);
    return [toChatEvent(event, message === undefined ? event.payload : shownMessage(message))];
  });
}

/** Durable events of one session after a cursor, in order and hydrated; at most 500. Empty: no further events. */
export async function sessionEvents(store: Store, session: SessionId, after: number): Promise<readonly ChatEvent[]> {
  return hydrate(store, await store.read((q) => events.ofSession(q, session, after, PAGE)));
}

function messageId(event: StoredEvent): number | undefined {
  const id = event.payload["message_id"];
  return WITH_MESSAGE.has(event.kind) && typeof id === "number" ? id : undefined;
}

function toChatEvent(event: StoredEvent, data: Readonly<Record<string, unknown>>): ChatEvent {
  return {
    event: event.kind,
    seq: event.seq,
    session_id: event.session as SessionId, // only events with a session get here; the store wrote it from one
    ...(event.turn === undefined ? {} : { turn_id: event.turn as TurnId }), // the same
    at: event.at,
    data,
  };
}

function shownMessage(message: MessageRecord): Readonly<Record<string, unknown>> {
  const content = cutBytes(message.content, CONTENT_BYTES);
  return {
    ...toMessageJson(message),
    content,
    ...(content.length < message.content.length ? { truncated: true as const } : {}),
  };
}

/** The longest beginning of `text` with at most `bytes` bytes of UTF-8; no character is cut in two. */
export function cutBytes(text: string, bytes: number): string {
  if (text.length * 3 <= bytes || Buffer.byteLength(text) <= bytes) return text;
  const head = Buffer.from(text.slice(0, bytes)).subarray(0, bytes);
  let end = head.length;
  while (end > 0 && ((head[end - 1] ?? 0) & 0xc0) === 0x80) end -= 1; // back over the continuation bytes of the last character
  const lead = head[end - 1] ?? 0;
  const length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 1;
  return head.toString("utf8", 0, end - 1 + length <= head.length ? end - 1 + length : end - 1);
}
