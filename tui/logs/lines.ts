import { noteRow, toRow } from "./row.js";
import type { LogRow, LogView } from "./state.js";

/** Rows that are kept while the end is followed (workspace part, 6.3), and while the user reads further up. */
const KEPT = 5_000;
const KEPT_BACK = 120_000;
const MARK_LINES = 8;
const MARK_CHARS = 300;

/** Number behind the last row. */
export const endOf = ({ from, rows }: LogView): number => from + rows.length;

/** New lines at the end. Who reads further up sees nothing move. */
export function withLines(view: LogView, lines: readonly string[], missing: number): LogView {
  const gap =
    missing > 0 ? [noteRow(`… ${missing.toLocaleString("en-US")} ${missing === 1 ? "line" : "lines"} not shown`)] : [];
  const rows = [...view.rows, ...gap, ...lines.map((line) => toRow(line, view.filter.source))];
  return trimmed({ ...view, rows, exists: true });
}

/** A word of the screen at the end. */
export const withNote = (view: LogView, text: string): LogView =>
  trimmed({ ...view, rows: [...view.rows, noteRow(text)] });

/** Older lines above the first one. */
export function withOlder(view: LogView, lines: readonly string[], before: string | null): LogView {
  const rows = [...lines.map((line) => toRow(line, view.filter.source)), ...view.rows];
  return { ...view, rows, from: view.from - lines.length, before, fetching: false };
}

/** The oldest rows are let go; they can be read again. */
export function trimmed(view: LogView): LogView {
  const most = view.follow ? KEPT : KEPT_BACK;
  const over = view.rows.length - most;
  if (over <= (view.follow ? KEPT / 10 : 0)) return view; // now and then many at once
  const rows = view.rows.slice(over);
  return { ...view, rows, from: view.from + over, before: placeOf(rows), fetching: false };
}

/** The place before a row is named by what stands there. */
function placeOf(rows: readonly LogRow[]): string | null {
  const first = rows.findIndex((row) => !row.note);
  if (first < 0) return null;
  const raw = rows[first]?.spans !== undefined;
  const lines = rows.slice(first, first + (raw ? MARK_LINES : 1));
  const until = lines.findIndex((row) => row.note);
  const text = lines
    .slice(0, until < 0 ? undefined : until)
    .map(({ line }) => line)
    .join("\n")
    .slice(0, MARK_CHARS)
    .toWellFormed();
  return text === "" ? null : `end:${Buffer.from(text).toString("base64")}`;
}

/** Older rows are asked for when the uppermost one that is seen is near the first that is here. */
export function wanting(view: LogView, height: number): LogView {
  if (view.before === null || view.fetching || view.phase !== "ready" || view.top - view.from > height * 4) return view;
  return { ...view, fetching: true };
}
