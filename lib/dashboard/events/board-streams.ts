import { AppError, toAppError } from "../../base/errors.js";
import { type BoardFeed, createBoardFeed, type FeedParts, type Sink } from "./board-feed.js";
import { type BoardWatchRequest, watchBoard } from "./board-watch.js";

/** The live streams of all boards. */
export interface BoardStreams {
  /** What a query asks for. @throws E_INVALID, E_BAD_BOARD, E_BOARD_NOT_FOUND, E_STORE */
  wanted(query: {
    readonly since?: string | undefined;
    readonly board?: string | undefined;
  }): Promise<BoardWatchRequest>;
  /** Give the sink what is wanted until it is gone. */
  watch(wanted: BoardWatchRequest, sink: Sink): void;
  /** Boards that are followed at this moment. */
  followed(): number;
}

/** Nothing is followed yet; a board is while it has a watcher. `env` may pin the board of those that do not name one. */
export function createBoardStreams(parts: FeedParts, env: Readonly<Record<string, string | undefined>>): BoardStreams {
  const feeds = new Map<string, BoardFeed>();
  const coming = new Map<BoardFeed, number>();
  const { board, log } = parts;
  const feedOf = (slug: BoardWatchRequest["board"]): BoardFeed => {
    const feed = feeds.get(slug) ?? createBoardFeed(parts, slug);
    feeds.set(slug, feed);
    coming.set(feed, (coming.get(feed) ?? 0) + 1);
    return feed;
  };
  const leave = (slug: BoardWatchRequest["board"], feed: BoardFeed) => {
    const left = (coming.get(feed) ?? 1) - 1;
    coming.set(feed, left);
    if (left > 0) return;
    coming.delete(feed);
    if (feeds.get(slug) === feed) feeds.delete(slug);
    feed.close();
  };
  return {
    wanted: async ({ since = "latest", board: flag }) => {
      const place = since === "latest" ? since : placeOf(since);
      const { board: slug } = await board.resolve({ flag, env: defined(env), writes: false });
      await board.lastEvent(slug); // an unreadable store is reported as an answer
      return { board: slug, since: place };
    },
    watch: (wanted, sink) => {
      const feed = feedOf(wanted.board);
      watchBoard(board, feed, wanted, sink)
        .catch((error: unknown) => {
          log.error("failed to watch a board", { board: wanted.board, error: toAppError(error).message });
          sink.close("broken");
        })
        .finally(() => leave(wanted.board, feed));
    },
    followed: () => feeds.size,
  };
}

function placeOf(since: string): number {
  const place = /^\d{1,16}$/.test(since) ? Number(since) : Number.NaN;
  if (Number.isSafeInteger(place)) return place;
  throw new AppError("E_INVALID", "since must be the id of an event, or 'latest'");
}

const defined = (env: Readonly<Record<string, string | undefined>>): Record<string, string> =>
  Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
