import type { BoardEvent } from "../../../contracts/board/board.js";
import type { BoardView, Card } from "../../../contracts/board/explain.js";
import type { Api, Query } from "../net/api.js";
import { words } from "../net/auth.js";
import { type Frame, keepLine, type LiveConnection } from "../net/live.js";
import { withCards } from "../state/board/patch.js";
import { type BoardState, isFullyLoaded, NO_BOARD } from "../state/board/state.js";
import type { PageConnection, Session } from "../state/session.js";
import { createStore, type Store } from "../state/store.js";
import { createPageFeed } from "./feed.js";
import { boardReader, type Extent } from "./reader.js";
import { refresher } from "./refresher.js";
import { watchWake } from "./wake.js";

const BASE = "api/plugins/kanban";
/** Cards of each column that are read before anything is shown, and right afterwards. */
const FIRST = 60;
const MORE = 500;

/** One board: what is known of it, how it is asked, and what happens on it. */
export interface PageBoard {
  /** As it was chosen; undefined is the owner's current one. */
  readonly slug: string | undefined;
  readonly state: Store<BoardState>;
  /** Paths below `/api/plugins/kanban`, of this board. */
  get<T>(path: string, query?: Query): Promise<T>;
  send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown, query?: Query): Promise<T>;
  /** Read these cards again. They are on the page when this resolves. */
  refresh(ids: readonly string[]): Promise<void>;
  /** Show cards in a form that is already known, until the owner tells them. */
  show(cards: readonly Card[]): void;
  /** Read the board again: with archived tasks, with that many cards of each column. What is left out stays as it was asked for last. */
  reload(more?: Partial<Extent>): Promise<void>;
  /** Read it from the beginning, after that has failed. */
  start(): Promise<void>;
  /** Receive the events as they arrive, until the answer is called. */
  listen(listener: (events: readonly BoardEvent[]) => void): () => void;
  close(): void;
}

interface BoardParts {
  readonly api: Api;
  readonly connection: Store<PageConnection>;
  readonly session: Store<Session>;
  failed(error: unknown): void;
}

/** Load a board and follow it. */
export function openBoard({ api, connection, session, failed }: BoardParts, slug: string | undefined): PageBoard {
  const state = createStore(NO_BOARD);
  const withBoard = (query: Query = {}): Query => ({ board: slug, ...query });
  const get = <T>(path: string, query?: Query): Promise<T> => api.get(BASE + path, withBoard(query));
  const refresh = refresher(state, (ids) => get<BoardView>("/board", { ids: ids.join(","), include_archived: true }));
  let live: LiveConnection | undefined;
  let closed = false;

  const reload = boardReader(
    {
      state,
      ask: ({ archived, limit }) => get<BoardView>("/board", { include_archived: archived, limit }),
      mark: () => feed.mark(),
      refresh,
      now: Date.now,
    },
    { archived: false, limit: FIRST },
  );
  const feed = createPageFeed({ state, refresh, reload });
  const follow = (): void => {
    const query = () => ({ since: String(state.get().cursor), ...(slug !== undefined && { board: slug }) });
    const frame = (told: Frame): void => void feed.frame(told).catch(failed);
    live ??= keepLine({ api, connection, open: (url) => new WebSocket(url) }, { path: `${BASE}/events`, query, frame });
  };
  const start = async (): Promise<void> => {
    state.update((now) => ({ ...now, phase: "loading" }));
    try {
      await reload();
      if (closed) return;
      follow();
      if (!isFullyLoaded(state.get())) await reload({ limit: MORE });
    } catch (error) {
      state.update((now) => (now.phase === "ready" ? now : { ...now, phase: "failed", problem: words(error) }));
    }
  };
  // Signed in again: what was missed is heard at once, or read.
  const leave = session.subscribe(() => {
    if (session.get().phase !== "in") return;
    if (state.get().phase === "ready") live?.now();
    else void start();
  });
  const asleep = watchWake({
    latest: async () => (await get<BoardView>("/board", { ids: "" })).latest_event_id,
    heard: () => state.get().cursor,
    restart: () => live?.restart(),
  });
  void start();
  return {
    slug,
    state,
    get,
    send: (method, path, body, query) => api.send(method, BASE + path, body, withBoard(query)),
    refresh,
    show: (cards) => state.update((now) => withCards(now, cards)),
    reload,
    start,
    listen: feed.listen,
    close() {
      closed = true;
      leave();
      asleep();
      live?.close();
      connection.set({ state: "idle" });
    },
  };
}
