import type { WireEvent } from "../../../proto/wire.js";
import type { Connection } from "../state/session.js";
import { createStore, type Store } from "../state/store.js";
import { type Api, ApiError } from "./api.js";
import { type Frame, keepLine, type Live } from "./live.js";

/** What somebody wants to hear of. */
export interface Follow {
  /** `session:<id>`, `logs:<what>`, ... */
  readonly topics: readonly string[];
  heard(event: WireEvent): void;
  /** From now on everything is heard: what was before is to be read now. Again after each lost connection. */
  begin(): void;
}

/** Methods and events of the owner over one socket. It is opened by the first who needs it and closed behind the last. */
export interface Rpc {
  readonly connection: Store<Connection>;
  /** Rejects with an ApiError; status 0 when the connection was lost before the answer. */
  call<T>(method: string, params?: Readonly<Record<string, unknown>>): Promise<T>;
  /** Hear of topics until the answer is called. */
  follow(follow: Follow): () => void;
}

interface RpcParts {
  readonly api: Api;
  readonly open: (url: URL) => WebSocket;
  failed(error: unknown): void;
}

interface Asked {
  readonly text: string;
  resolve(result: never): void;
  reject(error: Error): void;
}

/** How long the socket stays open when nobody uses it: a view is often left for another. */
const LINGER_MS = 10_000;

/** The owner's methods over `/api/ws`. */
export function createRpc({ api, open, failed }: RpcParts): Rpc {
  const connection = createStore<Connection>({ state: "idle" });
  const asked = new Map<number, Asked>();
  const follows = new Set<Follow>();
  let made = 0;
  let line: Live | undefined;
  let send: ((text: string) => void) | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;

  const used = (): void => {
    clearTimeout(idle);
    line ??= keepLine({ api, connection, open }, { path: "api/ws", query: () => ({}), frame, opened, lost });
    if (follows.size > 0 || asked.size > 0) return;
    idle = setTimeout(() => {
      line?.close();
      line = undefined;
      send = undefined;
      connection.set({ state: "idle" });
    }, LINGER_MS);
  };
  const call = <T>(method: string, params: Readonly<Record<string, unknown>> = {}): Promise<T> =>
    new Promise((resolve, reject) => {
      made += 1;
      const text = JSON.stringify({ jsonrpc: "2.0", id: made, method, params });
      asked.set(made, { text, resolve, reject });
      send?.(text);
      used();
    });
  const begin = (follow: Follow): void => {
    call("events.subscribe", { topics: follow.topics }).then(() => follows.has(follow) && follow.begin(), failed);
  };
  const opened = (write: (text: string) => void): void => {
    // What was asked while there was no connection has not been sent to anybody.
    for (const { text } of asked.values()) write(text);
    send = write;
    for (const follow of follows) begin(follow);
  };
  const lost = (): void => {
    send = undefined;
    for (const { reject } of asked.values()) reject(new ApiError(0, undefined, "The connection was lost before the owner answered."));
    asked.clear();
  };
  const frame = (told: Frame): void => {
    const { id, method } = told;
    if (typeof id === "number") answered(asked, id, told, used);
    if (method !== "event") return;
    const event = told["params"] as WireEvent & { readonly topic?: string }; // the owner's form of an event
    for (const follow of follows) if (concerns(follow, event)) follow.heard(event);
  };
  return {
    connection,
    call,
    follow(follow) {
      const first = follows.size === 0 && send === undefined;
      follows.add(follow);
      used();
      if (!first && send !== undefined) begin(follow);
      return () => {
        follows.delete(follow);
        if (send !== undefined) call("events.unsubscribe", { topics: follow.topics }).catch(() => undefined);
        used();
      };
    },
  };
}

function answered(asked: Map<number, Asked>, id: number, told: Frame, used: () => void): void {
  const one = asked.get(id);
  asked.delete(id);
  const { error, result } = told as {
    readonly error?: { readonly message?: string; readonly data?: { readonly code?: string } };
    readonly result?: never;
  };
  if (error === undefined)
    one?.resolve(result as never); // the caller names what its method answers
  else one?.reject(new ApiError(400, error.data?.code, error.message ?? "The owner refused it."));
  used();
}

const concerns = ({ topics }: Follow, { topic, session_id }: WireEvent & { readonly topic?: string }): boolean =>
  (topic !== undefined && topics.includes(topic)) || (session_id !== undefined && topics.includes(`session:${session_id}`));
