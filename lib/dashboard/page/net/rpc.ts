import type { PageConnection } from "../state/session.js";
import { createStore, type Store } from "../state/store.js";
import type { Api } from "./api.js";
import { ApiError } from "./api.js";
import { createLiveFollows, type Follow } from "./follows.js";
import { keepLine, type LiveConnection } from "./live.js";
import { createPending, type Pending } from "./pending.js";

/** Methods and events of the owner over one socket. It is opened by the first who needs it and closed behind the last. */
export interface Rpc {
  readonly connection: Store<PageConnection>;
  /** Rejects with an ApiError; status 0 when the connection was lost before the answer. */
  readonly call: Pending["call"];
  /** Hear of topics until the answer is called. */
  follow(follow: Follow): () => void;
  /** Where it is waited for the next try, try at once. */
  now(): void;
}

interface RpcParts {
  readonly api: Api;
  readonly open: (url: URL) => WebSocket;
  failed(error: unknown): void;
}

/** How long the socket stays open without use: a view is often left for another. */
const LINGER_MS = 10_000;

/** The owner's methods over `/api/ws`. */
export function createRpc({ api, open, failed }: RpcParts): Rpc {
  const connection = createStore<PageConnection>({ state: "idle" });
  const pending = createPending();
  const follows = createLiveFollows(pending, (error) => {
    // A lost connection is made again, and everything is followed again then.
    if (!(error instanceof ApiError && error.status === 0)) failed(error);
  });
  let line: LiveConnection | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;
  const lost = (): void => {
    pending.lost();
    follows.lost();
  };
  const shut = (): void => {
    line?.close();
    line = undefined;
    lost();
    connection.set({ state: "idle" });
  };
  const dial = (): LiveConnection =>
    keepLine(
      { api, connection, open },
      {
        path: "api/ws",
        query: () => ({}),
        lost,
        frame: (frame) => (frame["method"] === "event" ? follows.event(frame) : pending.answer(frame)),
        opened: (write) => {
          pending.opened(write);
          follows.opened();
        },
      },
    );
  const used = (): void => {
    clearTimeout(idle);
    line ??= dial();
    if (follows.count === 0 && pending.count === 0) idle = setTimeout(shut, LINGER_MS);
  };
  return {
    connection,
    now: () => line?.now(),
    call: (method, params, key) => {
      const answer = pending.call<never>(method, params, key).finally(used);
      used();
      return answer;
    },
    follow: (follow) => {
      const leave = follows.add(follow);
      used();
      return () => {
        leave();
        used();
      };
    },
  };
}
