import type { PagePlace, SessionPage } from "../../lib/contracts/wire/shapes/session-page.js";
import type { Effect } from "../model/messages.js";
import type { State } from "../model/state.js";
import { itemsIn } from "./ends.js";
import { type Message, onClock, roundIn } from "./items.js";
import type { ChatItem, ChatState } from "./state.js";

const MAX_ITEMS = 2_000; // workspace part, 5.3
const PAGE = 200;

/** What is over the bound goes from the top; it is read again when the user scrolls there. */
export function withoutOldest(chat: ChatState): ChatState {
  const over = chat.items.length - MAX_ITEMS;
  if (over <= 0) return chat;
  const at = chat.items.findIndex((item, place) => place >= over && placeIn(item) !== undefined);
  const first = chat.items[at];
  if (first === undefined) return { ...chat, items: chat.items.slice(over) };
  return {
    ...chat,
    items: chat.items.slice(at),
    olderAt: placeIn(first),
    older: chat.older === "loading" ? "loading" : "yes",
  };
}

/** The same from the end: what is older was read, and takes its place. */
function withoutNewest(chat: ChatState): ChatState {
  if (chat.items.length <= MAX_ITEMS) return chat;
  const at = chat.items.findLastIndex((item, place) => place <= MAX_ITEMS && placeIn(item) !== undefined);
  const first = chat.items[at];
  const place = first === undefined ? undefined : placeIn(first);
  if (place === undefined || at <= PAGE) return chat;
  return { ...chat, items: chat.items.slice(0, at), newer: "yes", newerAt: { ...place, ordinal: place.ordinal - 1 } };
}

const placeIn = (item: ChatItem): PagePlace | undefined =>
  item.kind === "user" || item.kind === "answer" ? item.place : undefined;

/** Ask for what is older, once. */
export function wantOlder(state: State): State {
  const { chat } = state;
  if (chat.older !== "yes" || state.session.id === undefined || state.connection === "lost") return state;
  return { ...state, chat: { ...chat, older: "loading" } };
}

export function wantNewer(state: State): State {
  const { chat } = state;
  if (chat.newer !== "yes" || state.session.id === undefined || state.connection === "lost") return state;
  return { ...state, chat: { ...chat, newer: "loading" } };
}

/** What has to be asked of the owner because of a step from one state to the other. */
export function wanted({ chat: before }: State, { chat, session }: State): readonly Effect[] {
  const asks: Effect[] = [];
  const page = (to: string, place: object): Effect => ({
    do: "call",
    method: "session.page",
    to,
    reads: true,
    params: { session_id: session.id ?? "", limit: PAGE, ...place },
  });
  if (chat.older === "loading" && before.older !== "loading") asks.push(page("chat.older", { before: chat.olderAt }));
  if (chat.newer === "loading" && before.newer !== "loading")
    asks.push(chat.newerAt === undefined ? page("chat.end", {}) : page("chat.newer", { after: chat.newerAt }));
  return asks;
}

/** A page that was read above what is here. What is looked at stays where it is. */
export function withOlder(chat: ChatState, page: SessionPage): ChatState {
  const items = fresh(chat, page);
  const next: ChatState = {
    ...chat,
    items: [...items, ...chat.items],
    older: page.older === null ? "no" : "yes",
    olderAt: page.older ?? undefined,
  };
  return withoutNewest(next);
}

/** A page that was read below. */
export function withNewer(chat: ChatState, page: SessionPage): ChatState {
  const items = [...chat.items, ...fresh(chat, page)];
  return withoutOldest({ ...chat, items, newer: page.newer === null ? "no" : "yes", newerAt: page.newer ?? undefined });
}

/** The place around a message that is not loaded, in place of everything else. */
export function withPlace(chat: ChatState, page: SessionPage): ChatState {
  const last = page.messages.at(-1);
  const items = itemsIn(page);
  return {
    ...chat,
    items,
    older: page.older === null ? "no" : "yes",
    olderAt: page.older ?? undefined,
    newer: "yes",
    newerAt: last === undefined ? undefined : { session_id: last.session_id, ordinal: last.ordinal },
  };
}

/** The end of the conversation in place of what was here. */
export function withEnd(
  chat: ChatState,
  page: SessionPage,
  clock: { readonly now: number; readonly wall: number },
): ChatState {
  const base: ChatState = {
    ...chat,
    items: onClock(itemsIn(page), clock),
    round: roundIn(asMessages(page)),
    older: page.older === null ? "no" : "yes",
    olderAt: page.older ?? undefined,
  };
  return { ...base, newer: "no", newerAt: undefined, top: undefined, mark: undefined, cursor: undefined };
}

const asMessages = (page: SessionPage): readonly Message[] => page.messages.map((message) => ({ ...message }));

/** Items of a page that are not there yet. */
function fresh({ items }: ChatState, page: SessionPage): readonly ChatItem[] {
  const known = new Set(items.map(({ key }) => key));
  return itemsIn(page).filter(({ key }) => !known.has(key));
}
