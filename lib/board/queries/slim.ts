import type { Query } from "../../../storage/store.js";
import { childProgress, commentCounts } from "../../../storage/tables/board/cards.js";
import { type Parent, unsettledOf } from "../../../storage/tables/board/links.js";
import { besideOf, type SlimRow, slimColumn, slimOf, statusSince } from "../../../storage/tables/board/slim.js";
import { statusCounts } from "../../../storage/tables/board/tasks.js";
import { type BoardSlug, type TaskId, toUnix, type UnixSeconds } from "../../base/units.js";
import type { Status } from "../../contracts/board/board.js";
import type { CardPage, CardQuestion, SlimCard } from "../../contracts/board/screen.js";
import type { Core } from "../core/core.js";
import { readBoardSettings } from "../core/known.js";
import { waitNote } from "../explain/note.js";
import { noStatuses } from "./read.js";

const COLUMNS: readonly Status[] = ["triage", "todo", "ready", "running", "blocked", "scheduled", "done", "archived"];
const CARDS = 100;
const MOST = 2_000;
/** Ids in one statement. */
const PIECE = 500;

/** A page of slim cards with the counts of all columns, from one state of the board. */
export async function slimCards(core: Core, board: BoardSlug, question: CardQuestion): Promise<CardPage> {
  const settings = await readBoardSettings(core, board);
  const paused = settings.paused_at === null ? null : { reason: settings.paused_reason };
  const store = await core.reading(board);
  if (store === undefined) return { board, cards: [], counts: noStatuses(), latest_event_id: 0, paused };
  // Asked before the cards are read: what happens in between is reported a second time.
  const latest_event_id = await store.lastSeq();
  const now = toUnix(core.clock.now());
  const read = await store.read(async (q) => {
    const counts = noStatuses();
    for (const row of await statusCounts(q)) counts[row.status] = row.count;
    const rows = await rowsOf(q, question, counts);
    return { counts, cards: await inPieces(rows, (piece) => cardsOf(q, piece, now)) };
  });
  return { board, ...read, latest_event_id, paused };
}

async function rowsOf(
  q: Query,
  { ids, status, after, limit = CARDS }: CardQuestion,
  counts: Record<Status, number>,
): Promise<SlimRow[]> {
  if (ids !== undefined) {
    const given = ids.slice(0, MOST);
    const all = [...new Set([...given, ...(await inPieces(given, (piece) => besideOf(q, piece)))])];
    return inPieces(all, (piece) => slimOf(q, piece));
  }
  const rows: SlimRow[] = [];
  for (const one of status === undefined ? COLUMNS : [status]) {
    if (counts[one] > 0) rows.push(...(await slimColumn(q, one, { after, limit: Math.min(limit, MOST) })));
  }
  return rows;
}

async function inPieces<A, B>(all: readonly A[], work: (piece: readonly A[]) => Promise<readonly B[]>): Promise<B[]> {
  const out: B[] = [];
  for (let at = 0; at < all.length; at += PIECE) out.push(...(await work(all.slice(at, at + PIECE))));
  return out;
}

async function cardsOf(q: Query, rows: readonly SlimRow[], now: UnixSeconds): Promise<SlimCard[]> {
  const ids = rows.map((row) => row.id);
  const todo = rows.filter((row) => row.status === "todo").map((row) => row.id);
  const waits = new Map<TaskId, Parent[]>();
  if (todo.length > 0)
    for (const parent of await unsettledOf(q, todo))
      waits.set(parent.child, [...(waits.get(parent.child) ?? []), parent]);
  const comments = new Map((await commentCounts(q, ids)).map((row) => [row.id, row.count]));
  const progress = new Map((await childProgress(q, ids)).map(({ id, done, total }) => [id, { done, total }]));
  const since = new Map((await statusSince(q, ids)).map((row) => [row.id, toUnix(row.at)]));
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    status: row.status,
    assignee: row.assignee,
    priority: row.priority,
    tenant: row.tenant,
    created_at: row.created_at,
    made: row.made,
    ended_at: (row.status === "done" ? row.completed_at : row.status === "archived" ? row.archived_at : null) ?? 0,
    since: row.run_since ?? since.get(row.id) ?? row.created_at,
    beat: row.beat,
    run_id: row.run_id,
    note: noteOf(row, waits.get(row.id) ?? [], now),
    comments: comments.get(row.id) ?? 0,
    children: progress.get(row.id) ?? null,
    version: row.version,
  }));
}

function noteOf(row: SlimRow, parents: readonly Parent[], now: UnixSeconds): string | null {
  if (row.status === "blocked") return row.block_reason;
  return waitNote({ ...row, hold: row.hold === 1 }, parents, now);
}
