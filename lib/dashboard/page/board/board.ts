import type { BoardEvent } from "../../../proto/board.js";
import type { BoardView, Card } from "../../../proto/board-explain.js";
import type { Api, Query } from "../net/api.js";
import { type Frame, keepLine, type Live } from "../net/live.js";
import { cardsOf, unseen } from "../state/board/events.js";
import { loaded, withCards } from "../state/board/patch.js";
import { type BoardState, isWhole, NO_BOARD } from "../state/board/state.js";
import type { Connection } from "../state/session.js";
import { createStore, type Store } from "../state/store.js";
import { refresher } from "./refresher.js";

const BASE = "api/plugins/kanban";
/** Cards of each column that are read before anything is shown, and right afterwards. */
const FIRST = 60;
const MORE = 500;

/** One board: what is known of it, how it is asked, and what happens on it. */
export interface Board {
  /** As it was chosen; undefined is the owner's current one. */
  readonly slug: string | undefined;
  readonly state: Store<BoardState>;
  /** Paths below `/api/plugins/kanban`, of this board. */
  get<T>(path: string, query?: Query): Promise<T>;
  send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown, query?: Query): Promise<T>;
  /** Read these cards anew. They are on the page when this resolves. */
  refresh(ids: readonly string[]): Promise<void>;
  /** Show cards in a form that is already known, until the owner tells them. */
  show(cards: readonly Card[]): void;
  /** Read the board anew: with archived tasks, with so many cards of each column. What is left out stays as it was asked for last. */
  reload(more?: Partial<Extent>): Promise<void>;
  /** Be told the events as they arrive, until the answer is called. */
  listen(listener: (events: readonly BoardEvent[]) => void): () => void;
  close(): void;
}

/** How much of a board is read. */
interface Extent {
  readonly archived: boolean;
  readonly limit: number;
}

interface BoardParts {
  readonly api: Api;
  readonly connection: Store<Connection>;
  failed(error: unknown): void;
}

/** Load a board and follow it. */
export function openBoard({ api, connection, failed }: BoardParts, slug: string | undefined): Board {
  const state = createStore(NO_BOARD);
  const listeners = new Set<(events: readonly BoardEvent[]) => void>();
  const withBoard = (query: Query = {}): Query => ({ board: slug, ...query });
  const get = <T>(path: string, query?: Query): Promise<T> => api.get(BASE + path, withBoard(query));
  const refresh = refresher(state, (ids) => get<BoardView>("/board", { ids: ids.join(","), include_archived: true }));
  let extent: Extent = { archived: false, limit: FIRST };
  let since: BoardEvent[] = [];
  let live: Live | undefined;
  let closed = false;

  const reload = async (more: Partial<Extent> = {}): Promise<void> => {
    extent = { ...extent, ...more };
    since = [];
    const view = await get<BoardView>("/board", { include_archived: extent.archived, limit: extent.limit });
    if (closed) return;
    const { cursor } = state.get();
    const fresh = loaded(view, Date.now() / 1000);
    state.set({ ...fresh, cursor: Math.max(fresh.cursor, cursor) });
    // What has happened while it was read may not be in it.
    const late = unseen(fresh.cursor, since);
    if (late.length > 0) await refresh([...cardsOf(state.get(), late)]);
  };
  const heard = async (events: readonly BoardEvent[], cursor: number): Promise<void> => {
    const fresh = unseen(state.get().cursor, events);
    state.update((now) => ({ ...now, cursor: Math.max(now.cursor, cursor) }));
    if (fresh.length === 0) return;
    since.push(...fresh);
    const read = refresh([...cardsOf(state.get(), fresh)]);
    for (const listener of listeners) listener(fresh);
    await read;
  };
  const frame = (told: Frame): void => {
    const cursor = Number(told["cursor"]);
    // A store that was put back tells less than this page has seen already.
    const back = told["type"] === "hello" && cursor < state.get().cursor;
    if (back) state.update((now) => ({ ...now, cursor: 0 }));
    if (told["type"] === "reset" || back) reload().catch(failed);
    else if (told["type"] === "hello") refresh([]).catch(failed);
    // The frames of the live stream carry events as the owner stores them.
    else if (Array.isArray(told["events"])) heard(told["events"] as readonly BoardEvent[], cursor).catch(failed);
  };
  const start = async (): Promise<void> => {
    await reload();
    if (closed) return;
    const query = () => ({ since: String(state.get().cursor), ...(slug !== undefined && { board: slug }) });
    live = keepLine({ api, connection, open: (url) => new WebSocket(url) }, { path: `${BASE}/events`, query, frame });
    if (!isWhole(state.get())) await reload({ limit: MORE });
  };
  start().catch((error: unknown) =>
    state.update((now) => ({ ...now, phase: "failed", problem: error instanceof Error ? error.message : String(error) })),
  );

  return {
    slug,
    state,
    get,
    send: (method, path, body, query) => api.send(method, BASE + path, body, withBoard(query)),
    refresh,
    show: (cards) => state.update((now) => withCards(now, cards)),
    reload,
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      closed = true;
      live?.close();
      connection.set({ state: "idle" });
    },
  };
}
