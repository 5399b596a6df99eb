import type { Scroll } from "../draw/boxes.js";
import { type RowOf, wrap } from "../draw/canvas.js";
import { banded } from "../draw/marks.js";
import { sanitizeLine } from "../draw/sanitize.js";
import { THEME } from "../draw/theme.js";
import { findVisibleRows, rowsSince, type SeenRow } from "../draw/viewport.js";
import { textCells, truncateToWidth } from "../draw/width.js";
import type { State } from "../model/state.js";
import { startLines } from "../start/lines.js";
import { chatEntries } from "./entries.js";
import { bodyHeight, cursorPlace, headHeight } from "./move.js";
import { isOpening, openingRows } from "./opening.js";
import { pinnedQuestion } from "./pinned.js";

/** What is seen of the conversation, and below it what goes on where it is not seen. */
export function chatRows(state: State, width: number, height: number): readonly RowOf[] {
  const entries = chatEntries(state);
  if (entries.length === 0) return atEnd(emptyRows(state, width), height);
  const room = { width, height: Math.max(1, bodyHeight(height)) };
  const { rows, end } = findVisibleRows(entries, state.chat.top, room);
  const cursor = state.focus === "chat" ? entries[cursorPlace(state, entries)]?.key : undefined;
  const head = headHeight(height) === 0 ? [] : [questionRow(state, rows[0], width)];
  const shown = rows.map((one, place) => decorated(state, one, { cursor, above: rows[place - 1], width }));
  const mark = markerRow(state, {
    width,
    end,
    fresh: state.chat.top === undefined ? 0 : rowsSince(entries, state.chat.mark, width),
  });
  if (mark === undefined) return [...head, ...shown];
  while (shown.length < room.height) shown.push([]);
  return [...head, ...(height > head.length + room.height ? [...shown, mark] : [...shown.slice(0, -1), mark])];
}

/** The first line of what was asked, while it has scrolled away and its answer is read. */
function questionRow(state: State, top: SeenRow | undefined, width: number): RowOf {
  const line = /\S.{0,999}/.exec(pinnedQuestion(state, top)?.text ?? "")?.[0];
  if (line === undefined) return [];
  return banded([[[THEME.bold, truncateToWidth(sanitizeLine(line), width)]]])[0] ?? []; // bold: it stands out without colours too
}

/** Roughly which part of the conversation is seen, in entries. */
export function chatScroll(state: State, width: number, height: number): Scroll | undefined {
  const entries = chatEntries(state);
  const { rows, end, start } = findVisibleRows(entries, state.chat.top, {
    width,
    height: Math.max(1, bodyHeight(height)),
  });
  if (end && start) return undefined;
  const places = new Map(entries.map(({ key }, place) => [key, place]));
  const first = places.get(rows[0]?.at.key ?? "") ?? 0;
  const last = places.get(rows.at(-1)?.at.key ?? "") ?? 0;
  const shown = Math.max(1, last - first);
  return { top: end ? Math.max(1, entries.length - shown) : first, shown, total: Math.max(entries.length, shown + 1) };
}

interface Around {
  readonly cursor: string | undefined;
  readonly above: SeenRow | undefined;
  readonly width: number;
}

/** The first row of the item under the cursor stands out; so does what was looked for. */
function decorated(state: State, { row, at }: SeenRow, { cursor, above, width }: Around): RowOf {
  const first =
    at.key === cursor && row.length > 0 && (above === undefined || above.at.key !== cursor || above.row.length === 0);
  if (first && (at.part === 0 || above === undefined)) {
    const said = row.map(([, text]) => text).join("");
    return [[THEME.selection, `${said}${" ".repeat(Math.max(0, width - textCells(said)))}`]];
  }
  const { search } = state.chat;
  return search === undefined || search.text === ""
    ? row
    : row.flatMap((span) => marked(span, search.text.toLowerCase()));
}

function marked([style, text]: RowOf[number], wanted: string): RowOf {
  const spans: [number, string][] = [];
  if (text === "") return [[style, text]]; // a mark of the row
  const lower = text.toLowerCase();
  if (lower.length !== text.length) return [[style, text]]; // some letters change their length: rather no mark than a wrong one
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    if (at > from) spans.push([style, text.slice(from, at)]);
    from = at + wanted.length;
    spans.push([THEME.selection, text.slice(at, from)]);
  }
  if (from < text.length) spans.push([style, text.slice(from)]);
  return spans;
}

interface Below {
  readonly width: number;
  readonly end: boolean;
  readonly fresh: number;
}

/** What is looked for, and at the right whether the end is followed. Undefined: there is nothing to say. */
function markerRow(state: State, { width, end, fresh }: Below): RowOf | undefined {
  const { search, top, newer } = state.chat;
  const note = noteOf(state);
  const right = below(state, { followed: top === undefined && newer === "no", end, fresh });
  if (search === undefined && note !== undefined) return [[THEME.dim, truncateToWidth(note, width)]];
  if (search === undefined)
    return right === undefined ? undefined : [[THEME.dim, " ".repeat(Math.max(0, width - textCells(right[1])))], right];
  const count =
    search.found === undefined
      ? search.typing
        ? ""
        : "…"
      : search.found.length === 0
        ? "not found"
        : `${search.at + 1} of ${search.found.length}`;
  const left = truncateToWidth(`/${search.text}${search.typing ? "▏" : "  "}${count}`, width);
  const room = width - textCells(left);
  const more = right !== undefined && textCells(right[1]) < room ? right : undefined;
  return [
    [THEME.accent, left],
    [THEME.dim, " ".repeat(Math.max(0, room - textCells(more?.[1] ?? "")))],
    ...(more === undefined ? [] : [more]),
  ];
}

/** What is under way with rows that are not here. */
function noteOf({ chat }: State): string | undefined {
  if (chat.older === "loading" || chat.newer === "loading") return "loading…";
  return chat.older === "failed" || chat.newer === "failed" ? "failed to load more, r retries" : undefined;
}

function below(
  state: State,
  { followed, end, fresh }: { readonly followed: boolean; readonly end: boolean; readonly fresh: number },
): RowOf[number] | undefined {
  if (followed) return state.session.turnSince === undefined ? undefined : [THEME.dim, "↓ following"];
  if (fresh > 0) return [THEME.accent, `↓ ${fresh.toLocaleString("en-US")} new ${fresh === 1 ? "line" : "lines"}`];
  return end ? undefined : [THEME.dim, "↓ End follows"];
}

/** Above the composer, where the eye is. */
const atEnd = (rows: readonly RowOf[], height: number): readonly RowOf[] => [
  ...Array.from({ length: Math.max(0, height - rows.length - 1) }, (): RowOf => []),
  ...rows.slice(0, height),
];

function emptyRows(state: State, width: number): readonly RowOf[] {
  if (isOpening(state)) return openingRows(state, width);
  return startLines(state).flatMap((line) => wrap(line, width).map((part): RowOf => [[THEME.dim, part]]));
}
