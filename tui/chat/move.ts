import type { Rect } from "../draw/canvas.js";
import {
  type Anchor,
  type Entry,
  endOf,
  entryHeight,
  findVisibleRows,
  firstRow,
  type Room,
  scrolled,
  scrollToEntry,
} from "../draw/viewport.js";
import { layoutOf } from "../layout/layout.js";
import type { Step } from "../model/define-pane.js";
import type { State } from "../model/state.js";
import { chatEntries } from "./entries.js";
import { wantNewer, wantOlder } from "./history.js";

const LOW = 8; // a pane that is lower shows its marker over the last row
const PINNED = 12; // on a smaller pane every row is needed

/** Rows above the conversation, for the question whose answer is read. */
export const headHeight = (height: number): number => (height >= PINNED ? 1 : 0);

/** Rows of the pane that show the conversation; the last one is the marker's where there is room. */
export const bodyHeight = (height: number): number => (height >= LOW ? height - 1 : height) - headHeight(height);

/** What the conversation is shown in; as large as the screen while another pane is. */
export function chatRoom(state: State): Room {
  const inside: Rect | undefined = layoutOf(state).panes.find(({ pane }) => pane === "chat")?.inside;
  return {
    width: Math.max(1, inside?.width ?? state.columns),
    height: Math.max(1, bodyHeight(inside?.height ?? Math.max(1, state.rows - 6))),
  };
}

/** Another uppermost row. Where following ends, the end is marked, so that what comes can be counted. */
export function topAt(state: State, entries: readonly Entry[], top: Anchor | undefined): State {
  const { chat } = state;
  const mark =
    top === undefined ? undefined : chat.top === undefined ? endOf(entries, chatRoom(state).width) : chat.mark;
  const next = { ...state, chat: { ...chat, top, mark } };
  const { start } = findVisibleRows(entries, top, chatRoom(state));
  if (start) return wantOlder(next);
  return top === undefined && chat.newer !== "no" ? wantNewer(next) : next;
}

/** A step in the pane: by items with its cursor, or by rows. */
export function moveCursor(state: State, step: Step): State {
  const entries = chatEntries(state);
  const room = chatRoom(state);
  const page = Math.max(1, room.height - 2);
  switch (step) {
    case "up":
      return state.focus === "chat" ? byItem(state, entries, -1) : byRows(state, entries, -1);
    case "down":
      return state.focus === "chat" ? byItem(state, entries, 1) : byRows(state, entries, 1);
    case "pageUp":
      return byRows(state, entries, -page);
    case "pageDown":
      return byRows(state, entries, page);
    case "halfUp":
      return byRows(state, entries, -Math.max(1, page >> 1));
    case "halfDown":
      return byRows(state, entries, Math.max(1, page >> 1));
    case "first":
      return withCursor(topAt(state, entries, firstRow(entries)), entries[0]?.key);
    case "last":
      return atEnd(state);
  }
}

/** Rows up or down, wherever the cursor is. */
export const scrollBy = (state: State, by: number): State => byRows(state, chatEntries(state), by);

/** The end, followed. When it was let go it is read again. */
function atEnd(state: State): State {
  const { chat } = state;
  const next: State = { ...state, chat: { ...chat, top: undefined, mark: undefined, cursor: undefined } };
  return chat.newer === "no" ? next : wantNewer({ ...next, chat: { ...next.chat, newer: "yes", newerAt: undefined } });
}

/** The keys of the pane mean this entry. */
export const withCursor = (state: State, cursor: string | undefined): State => ({
  ...state,
  chat: { ...state.chat, cursor },
});

function byRows(state: State, entries: readonly Entry[], rows: number): State {
  const room = chatRoom(state);
  const next = topAt(state, entries, scrolled(entries, state.chat.top, rows, room));
  if (state.focus !== "chat" || state.chat.cursor === undefined) return next;
  const { rows: shown } = findVisibleRows(entries, next.chat.top, room);
  if (shown.some(({ at }) => at.key === state.chat.cursor)) return next;
  return withCursor(next, (rows < 0 ? shown.at(-1) : shown[0])?.at.key);
}

const LONG_STEP = 3; // rows that an arrow moves within an item that is taller than the pane

function byItem(state: State, entries: readonly Entry[], by: 1 | -1): State {
  const room = chatRoom(state);
  const at = cursorPlace(state, entries);
  const { rows } = findVisibleRows(entries, state.chat.top, room);
  const key = entries[at]?.key ?? "";
  const own = rows.filter((one) => one.at.key === key);
  const height = entryHeight(entries[at], room.width, room.height + 1);
  const cutAway =
    own.length > 0 && own.length < height && (by === 1 ? rows.at(-1)?.at.key === key : rows[0]?.at.key === key);
  if (height > room.height && cutAway && !isEdge(entries, { state, room, by }))
    return withCursor(topAt(state, entries, scrolled(entries, state.chat.top, by * LONG_STEP, room)), key);
  const next = entries[Math.min(entries.length - 1, Math.max(0, at + by))];
  if (next === undefined) return state;
  const shown = topAt(state, entries, scrollToEntry(entries, state.chat.top, next.key, room));
  return withCursor(at + by < 0 ? wantOlder(shown) : shown, next.key);
}

/** The view cannot go further that way. */
function isEdge(
  entries: readonly Entry[],
  { state, room, by }: { readonly state: State; readonly room: Room; readonly by: 1 | -1 },
): boolean {
  const { end, start } = findVisibleRows(entries, state.chat.top, room);
  return by === 1 ? end : start;
}

/** Place of the entry that the keys of the pane mean; the last one at first. */
export function cursorPlace(state: State, entries: readonly Entry[]): number {
  const at = state.chat.cursor === undefined ? -1 : entries.findIndex(({ key }) => key === state.chat.cursor);
  return at < 0 ? entries.length - 1 : at;
}
