import type { Effect } from "../model/messages.js";
import type { State, Updated } from "../model/state.js";
import { filtered, replaced, sorted } from "./columns.js";
import { findSelectedCard, inSight, keptCursor, toWanted } from "./cursor.js";
import { changedElsewhere } from "./elsewhere.js";
import type { BoardMessage } from "./messages.js";
import { readAll } from "./read-more.js";
import { type BoardState, COLUMNS, type Column, type Columns, NO_BOARD, type TaskCard } from "./state.js";

type Read = Extract<BoardMessage, { type: "board.read" }>;
type Page = Extract<BoardMessage, { type: "board.page" }>;
type Changed = Extract<BoardMessage, { type: "board.changed" }>;

/** What the feed tells of the shown board. What it tells of another one came too late. */
export function applyFeed(state: State, message: BoardMessage): Updated {
  switch (message.type) {
    case "board.read":
      return read(state, message);
    case "board.page":
      return message.slug === state.board.slug ? [{ ...state, board: page(state.board, message) }, []] : [state, []];
    case "board.changed":
      return message.slug === state.board.slug ? changed(state, message) : [state, []];
    case "board.failed":
      return [{ ...state, board: { ...state.board, phase: "failed", error: message.message } }, []];
    case "board.severities":
      return message.slug === state.board.slug
        ? [{ ...state, board: severities(state.board, message) }, []]
        : [state, []];
  }
}

/** Read again. The same board keeps its cursor, its marks and what was asked of it. */
function read(state: State, { slug, counts, paused, cards }: Read): Updated {
  const known = slug === state.board.slug;
  const same = known && state.board.phase === "ready";
  const from = known ? state.board : { ...NO_BOARD, slug, view: state.board.view, profiles: state.board.profiles };
  const columns = sorted(cards);
  const found = new Map(cards.map((card) => [card.id, card] as const));
  const board: BoardState = {
    ...from,
    phase: "ready",
    error: "",
    counts,
    paused,
    cards: found,
    columns,
    edges: edgesOf(columns),
    moving: new Map(),
    shown: filtered(columns, from.filter),
  };
  const first = same ? board : { ...board, at: { ...board.at, column: firstFull(board) } };
  const next = toWanted(inSight({ ...state, board: { ...first, at: same ? anchored(state.board, board) : first.at } }));
  const missing = next.board.wanted === undefined ? [] : [wantEffect(slug, next.board.wanted)];
  const [all, more] = same && board.filter !== "" ? readAll(next) : ([next, []] as const);
  return [all, [...missing, ...more]];
}

/** One card that may not be among the first of its column. */
export const wantEffect = (slug: string, id: string): Effect => ({
  do: "call",
  method: "board.cards",
  params: { board: slug, ids: [id] },
  to: "board.want",
  reads: true,
});

const firstFull = ({ columns }: BoardState): Column =>
  (["ready", "running", "blocked", "triage", "todo"] as const).find((column) => columns[column].length > 0) ??
  COLUMNS.find((column) => columns[column].length > 0) ??
  "triage";

function anchored(before: BoardState, after: BoardState): BoardState["at"] {
  const card = findSelectedCard(before);
  const found = card && after.cards.get(card.id);
  return found === undefined || found.status !== before.at.column ? after.at : keptCursor(before, after);
}

const edgesOf = (columns: Columns): BoardState["edges"] =>
  Object.fromEntries(
    COLUMNS.flatMap((column) => (columns[column].length === 0 ? [] : [[column, columns[column].at(-1)]])),
  );

function page(board: BoardState, { column, counts, paused, cards }: Page): BoardState {
  const edges = { ...board.edges, [column]: cards.at(-1) ?? board.edges[column] };
  return merged({ ...board, edges, counts, paused }, cards, []);
}

/** Cards as they are now, in their places. What was sent elsewhere by hand stays there until the owner has answered. */
function merged(board: BoardState, cards: readonly TaskCard[], gone: readonly string[]): BoardState {
  const all = new Map(board.cards);
  const moving = new Map(board.moving);
  const changes: { before: TaskCard | undefined; after: TaskCard | undefined }[] = [];
  for (const given of cards) {
    const before = all.get(given.id);
    const sent = moving.get(given.id);
    if (sent !== undefined) moving.set(given.id, given);
    const after =
      sent === undefined || before === undefined ? given : { ...given, status: before.status, endedAt: before.endedAt };
    changes.push({ before, after });
    all.set(given.id, after);
  }
  for (const id of gone) {
    changes.push({ before: all.get(id), after: undefined });
    all.delete(id);
    moving.delete(id);
  }
  const columns = cards.length > MANY ? sorted(all.values()) : replaced(board.columns, changes);
  return withColumns({ ...board, cards: all, moving }, columns);
}

const MANY = 64; // more changes at once cost less in one sort

/** Other columns, with the cursor where it was. */
export function withColumns(board: BoardState, columns: Columns): BoardState {
  const next = { ...board, columns, shown: filtered(columns, board.filter, board) };
  return { ...next, at: keptCursor(board, next) };
}

/** Other cards, with the columns that follow from them. */
export const withCards = (board: BoardState, cards: readonly TaskCard[]): BoardState => merged(board, cards, []);

function changed(state: State, message: Changed): Updated {
  const { counts, paused, cards, gone, by } = message;
  const before = state.board;
  const marked = gone.some((id) => before.marked.has(id))
    ? new Set([...before.marked].filter((id) => !gone.includes(id)))
    : before.marked;
  const drawer = before.drawer !== undefined && gone.includes(before.drawer.id) ? undefined : before.drawer;
  const board = { ...merged(before, cards, gone), counts, paused, marked, drawer };
  return changedElsewhere(toWanted({ ...state, board }), before, by);
}

function severities(
  board: BoardState,
  { found, all }: Extract<BoardMessage, { type: "board.severities" }>,
): BoardState {
  const next = new Map(all ? [] : board.severities);
  for (const [id, severity] of found) {
    if (severity === undefined) next.delete(id);
    else next.set(id, severity);
  }
  return { ...board, severities: next };
}
