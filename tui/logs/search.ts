import { textMatcher } from "../../lib/contracts/ui/log-lines.js";
import { EMPTY, replaceAll } from "../composer/editor.js";
import type { PaneLine } from "../model/define-pane.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import { viewOf, withView } from "./lens.js";
import { endOf } from "./lines.js";
import { cursorTo, wanted } from "./move.js";
import { followLog } from "./source.js";
import type { LogName, LogRow, LogView } from "./state.js";

interface Found {
  readonly search: string;
  readonly rows: readonly LogRow[];
  /** Places in `rows`. */
  readonly hits: readonly number[];
}

let last: Found | undefined;

/** Places of the rows that hold what is searched. Rows that came behind those of the last look are looked at alone. */
export function hitsOf({ search, rows }: LogView): readonly number[] {
  if (search === "") return [];
  if (last?.rows === rows && last.search === search) return last.hits;
  const goesOn =
    last !== undefined && last.search === search && last.rows.length <= rows.length && sameBeginning(last.rows, rows);
  const has = textMatcher(search);
  const hits = goesOn && last !== undefined ? [...last.hits] : [];
  for (let at = goesOn ? (last?.rows.length ?? 0) : 0; at < rows.length; at++)
    if (has(rows[at]?.text ?? "")) hits.push(at);
  last = { search, rows, hits };
  return hits;
}

const sameBeginning = (before: readonly LogRow[], now: readonly LogRow[]): boolean =>
  before.length === 0 || (before[0] === now[0] && before.at(-1) === now[before.length - 1]);

/** The open line of a log: what is searched, or what is let through. */
export function logLine(state: State, name: LogName): PaneLine | undefined {
  const view = viewOf(state, name);
  const line = view?.line;
  if (view === undefined || line === undefined) return undefined;
  const closed = { ...view, line: undefined };
  return {
    editor: line.editor,
    changed: (editor) => {
      const next = { ...view, line: { ...line, editor } };
      return line.kind === "filter"
        ? [withView(state, name, next), []]
        : searched(state, name, { ...next, search: editor.text });
    },
    taken: () =>
      line.kind === "search" ? [withView(state, name, closed), []] : filtered(state, name, line.editor.text),
    dropped: () => [withView(state, name, line.kind === "search" ? { ...closed, search: line.before } : closed), []],
  };
}

/** Open the line at the foot of the log. */
export function openLogLine(state: State, name: LogName, kind: "search" | "filter"): Updated {
  const view = viewOf(state, name);
  if (view === undefined) return [state, []];
  const before = kind === "search" ? view.search : (view.filter.text ?? "");
  const editor = kind === "filter" ? replaceAll(EMPTY, before) : EMPTY;
  return [withView(state, name, { ...view, line: { kind, editor, before } }), []];
}

/** The owner lets through what holds this text. */
export function filtered(state: State, name: LogName, text: string): Updated {
  const view = viewOf(state, name);
  if (view === undefined) return [state, []];
  const { text: _before, ...rest } = view.filter;
  return followLog(state, name, text === "" ? rest : { ...rest, text: text.slice(0, 200) });
}

/** The newest hit at or above the cursor. */
function searched(state: State, name: LogName, view: LogView): Updated {
  const next = withView(state, name, view);
  const hits = hitsOf(view);
  const cursor = view.follow ? endOf(view) - 1 : view.cursor;
  const at = hits.findLast((hit) => view.from + hit <= cursor) ?? hits[0];
  return at === undefined ? [next, []] : onRow(next, name, view.from + at);
}

/** The next match below, or above, round the end. */
export function nextHit(state: State, name: LogName, by: 1 | -1): Updated {
  const view = viewOf(state, name);
  if (view === undefined) return [state, []];
  if (view.search === "") return [showMessage(state, "no search yet; press / to search"), []];
  const hits = hitsOf(view);
  const cursor = (view.follow ? endOf(view) - 1 : view.cursor) - view.from;
  const next =
    by > 0 ? (hits.find((hit) => hit > cursor) ?? hits[0]) : (hits.findLast((hit) => hit < cursor) ?? hits.at(-1));
  return next === undefined
    ? [showMessage(state, `no line matches "${view.search}"`, true), []]
    : onRow(state, name, view.from + next);
}

function onRow(state: State, name: LogName, row: number): Updated {
  const next = cursorTo(state, name, row, { pinned: true });
  return [next, wanted(state, next, name)];
}
