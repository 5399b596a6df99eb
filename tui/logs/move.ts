import { wrap } from "../draw/canvas.js";
import type { Step } from "../model/define-pane.js";
import type { Effect } from "../model/messages.js";
import type { State, Updated } from "../model/state.js";
import { bodyOf, roomOf, viewOf, withView } from "./lens.js";
import { endOf, trimmed, wanting } from "./lines.js";
import type { LogName, LogRow, LogView } from "./state.js";

interface Room {
  readonly width: number;
  readonly height: number;
  readonly wrap: boolean;
}

/** Cells of a row when lines are wrapped; its own text is laid out when it is drawn. */
const rowsOf = (row: LogRow | undefined, { width, wrap: wraps }: Pick<Room, "width" | "wrap">): number =>
  wraps && row !== undefined && row.text.length > width ? wrap(row.text, width).length : 1;

/** Number of the uppermost row when the end is followed. */
export function topAtEnd(view: LogView, room: Room): number {
  let at = endOf(view);
  for (let used = 0; at > view.from; at--) {
    used += rowsOf(view.rows[at - 1 - view.from], room);
    if (used > room.height) break;
  }
  return at;
}

export const roomIn = (state: State, name: LogName): Room => {
  const { width, height } = roomOf(state, name === "logs" ? "logs" : "runs");
  const head = name === "run" ? 1 : 0;
  return { width, height: Math.max(1, bodyOf(height - head)), wrap: state.logs.wrap };
};

const STEPS = (page: number): Readonly<Record<Step, number>> => ({
  up: -1,
  down: 1,
  pageUp: -page,
  pageDown: page,
  halfUp: -(page >> 1 || 1),
  halfDown: page >> 1 || 1,
  first: Number.NEGATIVE_INFINITY,
  last: Number.POSITIVE_INFINITY,
});

/** The cursor goes a step; near the beginning of what is here more is asked for. */
export function moved(state: State, name: LogName, step: Step): State {
  const view = viewOf(state, name);
  if (view === undefined) return state;
  const room = roomIn(state, name);
  const by = STEPS(Math.max(1, room.height - 1))[step];
  if (view.record !== undefined) {
    const top = Number.isFinite(by) ? Math.max(0, view.record.top + by) : by < 0 ? 0 : 1_000;
    return withView(state, name, { ...view, record: { ...view.record, top } });
  }
  const last = endOf(view) - 1;
  const from = view.follow ? last : view.cursor;
  const far = step === "pageUp" || step === "pageDown" || step === "halfUp" || step === "halfDown";
  return cursorTo(state, name, Math.min(last, Math.max(view.from, from + by)), { scroll: far ? by : 0 });
}

interface How {
  /** The view is moved by so many rows first. */
  readonly scroll?: number;
  /** The row is looked at: it stays where it is although it is the last one. */
  readonly pinned?: boolean;
}

/** The cursor on a row, the view moved as little as can be. The last row is followed. */
export function cursorTo(state: State, name: LogName, cursor: number, { scroll = 0, pinned = false }: How = {}): State {
  const view = viewOf(state, name);
  if (view === undefined || view.rows.length === 0) return state;
  if (cursor >= endOf(view) - 1 && !pinned) return withView(state, name, followed(view));
  const room = roomIn(state, name);
  const end = topAtEnd(view, room);
  const before = view.follow ? end : view.top;
  const top = inSight(view, Math.min(end, Math.max(view.from, before + scroll)), cursor, room);
  const left = view.follow ? endOf(view) : view.left;
  return withView(state, name, wanting({ ...view, follow: false, cursor, top, left }, room.height));
}

/** What a step asks of the owner. */
export function wanted(before: State, after: State, name: LogName): readonly Effect[] {
  const view = viewOf(after, name);
  if (view === undefined || !view.fetching || view.before === null || viewOf(before, name)?.fetching === true)
    return [];
  return [{ do: "log.more", name, filter: view.filter, before: view.before }];
}

/** The end, followed from now on. */
const followed = (view: LogView): LogView => trimmed({ ...view, follow: true });

function inSight(view: LogView, top: number, cursor: number, room: Room): number {
  if (cursor <= top) return cursor;
  let at = cursor;
  for (let used = rowsOf(view.rows[cursor - view.from], room); at > top; at--) {
    used += rowsOf(view.rows[at - 1 - view.from], room);
    if (used > room.height) return at;
  }
  return top;
}

/** Following on or off; off, what is seen stays. */
export function toggleFollow(state: State, name: LogName): Updated {
  const view = viewOf(state, name);
  if (view === undefined) return [state, []];
  if (!view.follow) return [withView(state, name, followed(view)), []];
  const top = topAtEnd(view, roomIn(state, name));
  const cursor = Math.max(view.from, endOf(view) - 1);
  return [withView(state, name, { ...view, follow: false, cursor, top, left: endOf(view) }), []];
}

/** A press of the mouse on a row of the log: the cursor goes there. */
export function clickedLine(state: State, name: LogName, y: number): State {
  const view = viewOf(state, name);
  if (view === undefined || view.record !== undefined || y < 0) return state;
  const room = roomIn(state, name);
  let at = view.follow ? topAtEnd(view, room) : view.top;
  for (
    let used = rowsOf(view.rows[at - view.from], room);
    used <= y && at < endOf(view) - 1;
    used += rowsOf(view.rows[at - view.from], room)
  )
    at += 1;
  return cursorTo(state, name, at, { pinned: true });
}
