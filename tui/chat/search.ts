import type { PagePlace } from "../../lib/contracts/wire/shapes/session-page.js";
import { type Anchor, rowsWith, scrollToEntry, showingRow } from "../draw/viewport.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import type { Input } from "../terminal/decode.js";
import { chatEntries } from "./entries.js";
import { chatRoom, topAt } from "./move.js";
import type { ChatSearch } from "./state.js";

const AROUND = 20; // messages behind a hit that are read with it

const withSearch = (state: State, search: ChatSearch | undefined): State => ({
  ...state,
  chat: { ...state.chat, search },
});

/** Begin to look for something. */
export const beginSearch = (state: State): Updated => [
  withSearch(state, { text: "", typing: true, found: undefined, at: 0 }),
  [],
];

/** Keys of the search line while it is typed; undefined: it is not for it. */
export function searchInput(state: State, given: Input): Updated | undefined {
  const { search } = state.chat;
  if (search === undefined || !search.typing || state.focus !== "chat") return undefined;
  if (given.type === "text" || given.type === "paste")
    return [typed(state, search, `${search.text}${given.text.replace(/[\x00-\x1f\x7f]+/g, " ")}`), []];
  if (given.type !== "key") return undefined;
  if (given.name === "escape" || (given.ctrl && given.name === "c")) return [withSearch(state, undefined), []];
  if (given.name === "enter") return submitted(state, search);
  if (given.name === "backspace") return [typed(state, search, [...search.text].slice(0, -1).join("")), []];
  if (given.ctrl && given.name === "u") return [typed(state, search, ""), []];
  if (given.ctrl || given.alt || [...given.name].length !== 1) return undefined;
  return [typed(state, search, search.text + given.name), []];
}

/** While it is typed what is loaded is looked through, from the end. */
function typed(state: State, search: ChatSearch, text: string): State {
  const next = withSearch(state, { ...search, text: text.slice(0, 1_000) });
  const wanted = text.toLowerCase();
  if (wanted === "") return next;
  const hit = state.chat.items.findLast(
    (item) => "text" in item && typeof item.text === "string" && item.text.toLowerCase().includes(wanted),
  );
  return hit === undefined ? next : shown(next, hit.key);
}

/** The whole conversation is looked through by its owner, also what is not loaded. */
function submitted(state: State, search: ChatSearch): Updated {
  if (search.text.trim() === "" || state.session.id === undefined) return [withSearch(state, undefined), []];
  const params = { session_id: state.session.id, text: search.text };
  const next = withSearch(state, { ...search, typing: false, found: undefined });
  return [next, [{ do: "call", method: "session.find", params, to: "chat.found", reads: true }]];
}

/** The owner has answered: the newest hit is shown. */
export function found(state: State, places: readonly PagePlace[]): Updated {
  const { search } = state.chat;
  if (search === undefined) return [state, []];
  return toHit(withSearch(state, { ...search, found: places, at: places.length - 1 }), places.length - 1);
}

/** The match before or after the current one, within its message first, wrapping around. */
export const nextHit =
  (by: 1 | -1) =>
  (state: State): Updated => {
    const { search } = state.chat;
    const count = search?.found?.length ?? 0;
    if (search === undefined || count === 0)
      return [showMessage(state, search === undefined ? "press / to search" : "not found"), []];
    const within = besideIn(state, search, by);
    return within === undefined ? toHit(state, (search.at + by + count) % count, by) : [toRow(state, within), []];
  };

/** The row with the match before or after the current one, in the same message. */
function besideIn(state: State, { row, text }: ChatSearch, by: 1 | -1): Anchor | undefined {
  if (row === undefined) return undefined;
  const rows = hitRows(state, row.key, text);
  const at = rows.findIndex((one) => one.part === row.part && one.row === row.row);
  return at < 0 ? undefined : rows[at + by];
}

function toHit(state: State, at: number, by: 1 | -1 = -1): Updated {
  const { search } = state.chat;
  const place = search?.found?.[at];
  if (search === undefined || place === undefined) return [state, []];
  const next = withSearch(state, { ...search, at });
  const item = state.chat.items.find((one) => (one.kind === "user" || one.kind === "answer") && one.id === place.id);
  if (item !== undefined) return [shown(next, item.key, by), []];
  const before = { session_id: place.session_id, ordinal: place.ordinal + AROUND };
  const params = { session_id: state.session.id ?? "", limit: 200, before };
  return [next, [{ do: "call", method: "session.page", params, to: `chat.place:m${place.id ?? 0}`, reads: true }]];
}

/** Rows of an item that hold what is looked for. */
function hitRows(state: State, key: string, text: string): readonly Anchor[] {
  const entry = chatEntries(state).find((one) => one.key === key);
  const wanted = text.toLowerCase();
  return entry === undefined || wanted === ""
    ? []
    : rowsWith(entry, chatRoom(state).width, (row) => row.toLowerCase().includes(wanted));
}

/** The cursor on an item, and its last row with what is looked for in view, or its first one; else its beginning. */
export function shown(state: State, key: string, by: 1 | -1 = -1): State {
  const { search } = state.chat;
  const rows = search === undefined ? [] : hitRows(state, key, search.text);
  const row = by < 0 ? rows.at(-1) : rows[0];
  if (row !== undefined) return toRow(state, row);
  const entries = chatEntries(state);
  const next = topAt(state, entries, scrollToEntry(entries, state.chat.top, key, chatRoom(state)));
  return {
    ...next,
    chat: { ...next.chat, cursor: key, ...(search === undefined ? {} : { search: { ...search, row: undefined } }) },
  };
}

/** A row with a hit in view. */
function toRow(state: State, row: Anchor): State {
  const { search } = state.chat;
  const entries = chatEntries(state);
  const next = topAt(state, entries, showingRow(entries, state.chat.top, row, chatRoom(state)));
  return {
    ...next,
    chat: { ...next.chat, cursor: row.key, ...(search === undefined ? {} : { search: { ...search, row } }) },
  };
}

/** Nothing is looked for any more. */
export const clearSearch = (state: State): Updated => [withSearch(state, undefined), []];
