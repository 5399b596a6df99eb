import type { BoardSlug } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { BoardFeed, Sink, Watcher } from "./board-feed.js";
import { FRAME_EVENTS, framesOf, helloFrame, resetFrame, writtenEvent } from "./board-frames.js";

/** What a client wants to watch: the events of a board behind one of them. */
export interface BoardWatchRequest {
  readonly board: BoardSlug;
  readonly since: number | "latest";
}

/** Watch a board until the sink is gone: what is stored first, then what comes, each event once and in order. */
export async function watchBoard(
  board: BoardApi,
  feed: BoardFeed,
  wanted: BoardWatchRequest,
  sink: Sink,
): Promise<void> {
  await feed.ready();
  const { cursor, last } = await greet(board, wanted, sink);
  const watcher: Watcher = { sink, cursor, lost: false };
  if (cursor !== last) await checkPlace(board, wanted.board, watcher);
  const leave = feed.enter(watcher);
  try {
    while (!sink.signal.aborted) {
      await sink.room();
      if (watcher.lost) reset(watcher, feed.cursor);
      if (watcher.cursor >= feed.cursor) await feed.join(watcher);
      else await catchUp(board, feed, wanted.board, watcher);
    }
  } finally {
    leave();
  }
}

async function greet(
  board: BoardApi,
  { board: slug, since }: BoardWatchRequest,
  sink: Sink,
): Promise<{ cursor: number; last: number }> {
  const last = await board.lastEvent(slug);
  const cursor = since === "latest" ? last : since;
  sink.frame(helloFrame(slug, cursor, await oldestOf(board, slug, last)));
  return { cursor, last };
}

async function oldestOf(board: BoardApi, slug: BoardSlug, last: number): Promise<number> {
  return (await board.eventsAfter(slug, 0, 1))[0]?.id ?? last + 1;
}

/** The next stored events. Where some are missing it may be that they were pruned, which the watcher must know, or that they went with a task. */
async function catchUp(board: BoardApi, feed: BoardFeed, slug: BoardSlug, watcher: Watcher): Promise<void> {
  const told = feed.cursor; // before the look: what is not found behind it was deleted
  const page = await board.eventsAfter(slug, watcher.cursor, FRAME_EVENTS);
  if (watcher.lost || watcher.sink.signal.aborted) return;
  const gap = (page[0]?.id ?? told + 1) > watcher.cursor + 1;
  if (gap && (await checkPlace(board, slug, watcher))) return;
  for (const frame of framesOf(page.map(writtenEvent))) {
    await watcher.sink.room();
    if (watcher.lost || watcher.sink.signal.aborted) return;
    watcher.sink.frame(frame);
    watcher.cursor = frame.cursor;
  }
  if (page.length === 0) watcher.cursor = Math.max(watcher.cursor, told);
}

/** True when the watcher's place is gone: it was pruned, or lies ahead of everything. The watcher is notified. */
async function checkPlace(board: BoardApi, slug: BoardSlug, watcher: Watcher): Promise<boolean> {
  const last = await board.lastEvent(slug);
  const usable = watcher.cursor <= last && watcher.cursor >= (await oldestOf(board, slug, last)) - 1;
  if (!usable) reset(watcher, last);
  return !usable;
}

function reset(watcher: Watcher, cursor: number): void {
  watcher.lost = false;
  watcher.cursor = cursor;
  watcher.sink.frame(resetFrame(cursor));
}
