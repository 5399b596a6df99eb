import { age } from "../draw/ages.js";
import type { Scroll } from "../draw/boxes.js";
import type { RowOf, Span } from "../draw/canvas.js";
import { GLYPH } from "../draw/glyphs.js";
import { bold, onto, THEME } from "../draw/theme.js";
import { textCells, truncateToWidth } from "../draw/width.js";
import { isBare } from "../logs/lens.js";
import { logScroll } from "../logs/pane.js";
import { fieldRows } from "../logs/record.js";
import { logRows } from "../logs/view.js";
import type { State } from "../model/state.js";
import { placeOf } from "./list.js";
import { listHeight, topOf } from "./list-move.js";
import type { Aspect, Opened, RunRow, RunsState } from "./state.js";
import { transcriptRows, transcriptScroll } from "./transcript.js";

/** Everything that works by itself, or the one that is looked at. */
export function runRows(state: State, width: number, height: number): readonly RowOf[] {
  return state.runs.opened === undefined
    ? listRows(state, width, height)
    : openedRows(state, state.runs.opened, width, height);
}

function listRows(state: State, width: number, height: number): readonly RowOf[] {
  const { runs } = state;
  const rows = bodyRows(state, width, listHeight(runs, height));
  const foot = footRow(runs, width);
  if (foot === undefined) return rows;
  return [...rows, ...Array.from({ length: Math.max(0, height - 1 - rows.length) }, (): RowOf => []), foot];
}

function bodyRows(state: State, width: number, height: number): readonly RowOf[] {
  const { runs } = state;
  if (runs.phase === "loading") return Array.from({ length: Math.min(3, height) }, (): RowOf => [[THEME.dim, "…"]]);
  if (runs.phase === "failed") return [[[THEME.error, truncateToWidth(runs.error, width)]], [[THEME.dim, "r retries"]]];
  if (runs.shown.length === 0) return [[[THEME.dim, truncateToWidth(emptyWords(runs), width)]]];
  const top = topOf(runs, height);
  const cursor = state.focus === "runs" ? placeOf(runs) : -1;
  const columns = columnsOf(runs.shown, width);
  return runs.shown
    .slice(top, top + height)
    .map((row, at) =>
      runRow(row, { state, columns, width, selected: top + at === cursor, marked: runs.marked.has(row.id) }),
    );
}

function emptyWords({ ended, filter, all }: RunsState): string {
  if (filter !== "") return `No runs match "${filter}".`;
  if (!ended) return all.size === 0 ? "Nothing is running." : "Nothing is running. Ended runs: v";
  return "Nothing is running, and nothing has run in the last 24 hours.";
}

interface Columns {
  readonly name: number;
  readonly profile: number;
  readonly tokens: number;
  readonly activity: number;
}

const TIME_CELLS = 8;
const NAME_MOST = 11;
const PROFILE_MOST = 10;
const ACTIVITY_MOST = 40;
const TITLE_LEAST = 14;

/** How wide the columns are; without the room for all, the last ones go first. */
function columnsOf(shown: readonly RunRow[], width: number): Columns {
  const name = Math.min(NAME_MOST, Math.max(...shown.map((row) => textCells(nameOf(row)))));
  let room = width - 2 - name - 1 - TIME_CELLS - 1 - TITLE_LEAST;
  const take = (wanted: number): number => {
    if (wanted === 0 || room < wanted + 1) return 0;
    room -= wanted + 1;
    return wanted;
  };
  const tokens = take(shown.some((row) => row.tokens !== null) ? TOKEN_CELLS : 0);
  const profile = take(Math.min(PROFILE_MOST, Math.max(0, ...shown.map((row) => textCells(row.profile)))));
  // What is done changes all the time: its column does not depend on it.
  const activity = room < 9 ? 0 : Math.min(ACTIVITY_MOST, Math.max(8, Math.floor(room * 0.45)));
  return { name, profile, tokens, activity };
}

const TOKEN_CELLS = 9;
const nameOf = ({ kind, task }: RunRow): string => task ?? kind;

/** What it did last; of one that ended badly, how. */
function lastOf({ endedAt, state, activity }: RunRow): string {
  if (endedAt === null) return activity;
  return GOOD.has(state) ? activity : [state.replaceAll("_", " "), activity].filter((part) => part !== "").join(", ");
}

interface Look {
  readonly state: State;
  readonly columns: Columns;
  readonly width: number;
  readonly selected: boolean;
  readonly marked: boolean;
}

function runRow(row: RunRow, { state, columns, width, selected, marked }: Look): RowOf {
  const [style, glyph] = signOf(row);
  const time = age((row.endedAt ?? state.wall) - row.startedAt);
  const fixed =
    2 +
    columns.name +
    1 +
    TIME_CELLS +
    (columns.profile && columns.profile + 1) +
    (columns.tokens && columns.tokens + 1);
  const title = Math.max(1, width - fixed - 1 - (columns.activity && columns.activity + 1));
  const dim = row.endedAt === null ? THEME.text : THEME.dim;
  const spans: Span[] = [
    [style, `${glyph}${marked ? "+" : " "}`],
    [row.kind === "task" ? dim : THEME.dim, `${left(nameOf(row), columns.name)} `],
    ...(columns.profile === 0 ? [] : [[THEME.dim, `${left(row.profile, columns.profile)} `] satisfies Span]),
    [row.waits ? bold(THEME.warn) : dim, `${left(row.title, title)} `],
    [dim, right(time, TIME_CELLS)],
    ...(columns.tokens === 0 ? [] : [[THEME.dim, ` ${right(tokensOf(row), columns.tokens)}`] satisfies Span]),
    ...(columns.activity === 0 ? [] : [[THEME.dim, ` ${left(lastOf(row), columns.activity)}`] satisfies Span]),
  ];
  if (!selected) return spans;
  const filled = spans.map(([own, text], at): Span => [at === 0 ? onto(own, THEME.selection) : THEME.selection, text]);
  const used = spans.reduce((sum, [, text]) => sum + textCells(text), 0);
  return [...filled, [THEME.selection, " ".repeat(Math.max(0, width - used))]];
}

const left = (text: string, cells: number): string => {
  const shown = truncateToWidth(text, cells);
  return shown + " ".repeat(Math.max(0, cells - textCells(shown)));
};
const right = (text: string, cells: number): string => truncateToWidth(text, cells).padStart(cells);

function tokensOf({ tokens }: RunRow): string {
  if (tokens === null || tokens === 0) return "";
  return `${tokens < 1_000 ? tokens : tokens < 1_000_000 ? `${(tokens / 1_000).toFixed(1)}k` : `${(tokens / 1_000_000).toFixed(1)}M`} tok`;
}

const GOOD: ReadonlySet<string> = new Set(["completed", "done", "ok", "success"]);
const NEITHER: ReadonlySet<string> = new Set([
  "reclaimed",
  "scheduled",
  "interrupted",
  "terminated",
  "cancelled",
  "stale",
  "rate_limited",
]);

function signOf({ waits, endedAt, state, kind, activity }: RunRow): readonly [style: number, glyph: string] {
  if (waits) return [bold(THEME.warn), "!"];
  if (endedAt === null) return [THEME.accent, GLYPH.live];
  if (GOOD.has(state) || (kind === "process" && activity === "exit 0")) return [THEME.ok, GLYPH.ok];
  if (state === "blocked") return [THEME.warn, GLYPH.denied];
  return NEITHER.has(state) ? [THEME.dim, GLYPH.cancelled] : [THEME.error, GLYPH.failed];
}

function footRow({ line, search, shown }: RunsState, width: number): RowOf | undefined {
  if (line !== undefined)
    return [[THEME.accent, truncateToWidth(`${line.kind === "search" ? "/" : "filter: "}${line.editor.text}▏`, width)]];
  return search === "" || shown.length === 0 ? undefined : [[THEME.accent, truncateToWidth(`/${search}  n N`, width)]];
}

const ASPECTS = [
  ["transcript", "t"],
  ["log", "l"],
  ["information", "I"],
] as const;

/** What is looked at of a run: its head, then its conversation, its output, or what is known of it. */
function openedRows(state: State, opened: Opened, width: number, height: number): readonly RowOf[] {
  const row = state.runs.all.get(opened.id);
  const head = headRow(row, opened, state, width);
  const room = Math.max(1, height - 1);
  const rows =
    opened.error === ""
      ? aspectRows(state, opened, width, room)
      : [[[THEME.error, truncateToWidth(opened.error, width)] satisfies Span]];
  return [head, ...rows];
}

function aspectRows(state: State, opened: Opened, width: number, height: number): readonly RowOf[] {
  if (opened.aspect === "log") return logRows(state, "run", width, height);
  if (opened.aspect === "transcript") {
    if (opened.chat?.loading === true) return [[[THEME.dim, "…"]]];
    if (opened.chat?.items.length === 0) return [[[THEME.dim, "No messages yet."]]];
    return transcriptRows(state, width, height);
  }
  if (opened.facts === undefined) return [[[THEME.dim, "…"]]];
  const rows = fieldRows(opened.facts, width);
  const from = Math.min(opened.top, Math.max(0, rows.length - height));
  return rows.slice(from, from + height);
}

/** What a press on the head of an opened run means. */
export function aspectAt(x: number, width: number): Aspect | undefined {
  let from = 0;
  for (const [name, key] of ASPECTS) {
    const cells = width < 60 ? 1 : key.length + 1 + name.length;
    if (x >= from && x < from + cells + 1) return name;
    from += cells + 2;
  }
  return undefined;
}

/** Which part is seen: of the list, of a conversation, of an output, of what is known. */
export function runScroll(state: State, width: number, height: number): Scroll | undefined {
  const { runs } = state;
  const { opened } = runs;
  if (opened === undefined) {
    const shown = listHeight(runs, height);
    return runs.phase === "ready" ? { top: topOf(runs, shown), shown, total: runs.shown.length } : undefined;
  }
  if (opened.aspect === "transcript") return transcriptScroll(state, width, height - 1);
  if (opened.aspect === "log") return logScroll(state, "run");
  const total = opened.facts === undefined ? 0 : fieldRows(opened.facts, width).length;
  return { top: Math.min(opened.top, Math.max(0, total - height + 1)), shown: height - 1, total };
}

function headRow(row: RunRow | undefined, { aspect }: Opened, state: State, width: number): RowOf {
  const tabs = ASPECTS.flatMap(([name, key]): Span[] => [
    [name === aspect ? THEME.accent : THEME.dim, width < 60 ? `${key}${name === aspect ? "*" : ""}` : `${key} ${name}`],
    [THEME.dim, "  "],
  ]);
  const used = tabs.reduce((sum, [, text]) => sum + textCells(text), 0);
  if (row === undefined) return tabs;
  const [style, glyph] = signOf(row);
  const time = age((row.endedAt ?? state.wall) - row.startedAt);
  const name = isBare(state, "runs") ? `  ${nameOf(row)} ${row.title}` : "";
  const told = `${row.endedAt === null ? time : `${row.state.replaceAll("_", " ")} ${time}`}${name}`;
  return [...tabs, [style, `${glyph} `], [THEME.dim, truncateToWidth(told, Math.max(0, width - used - 2))]];
}
