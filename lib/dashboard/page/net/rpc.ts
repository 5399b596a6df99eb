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
  const subs = new Map<number, Follow>();
  let made = 0;
  let line: Live | undefined;
  let send: ((text: string) => void) | undefined;
  let idle: ReturnType<typeof setTimeout> | undefined;

  // A lost connection is made again, and everything is followed again then.
  const later = (error: unknown): void => {
    if (!(error instanceof ApiError && error.status === 0)) failed(error);
  };
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
  const begin = async (follow: Follow): Promise<void> => {
    const { sub } = await call<{ sub: number }>("events.subscribe", { topics: follow.topics });
    // It was given up, or the connection was lost and made anew, while the owner answered.
    if (!follows.has(follow)) return end(sub);
    subs.set(sub, follow);
    follow.begin();
  };
  const end = (sub: number): void => {
    subs.delete(sub);
    if (send !== undefined) call("events.unsubscribe", { sub }).catch(() => undefined);
  };
  const opened = (write: (text: string) => void): void => {
    // What was asked while there was no connection has not been sent to anybody.
    for (const { text } of asked.values()) write(text);
    send = write;
    for (const follow of follows) begin(follow).catch(later);
  };
  const lost = (): void => {
    send = undefined;
    subs.clear();
    for (const { reject } of asked.values()) reject(new ApiError(0, undefined, "The connection was lost before the owner answered."));
    asked.clear();
  };
  const frame = (told: Frame): void => {
    const { id, method } = told;
    if (typeof id === "number") answered(asked, id, told, used);
    if (method !== "event") return;
    const event = told["params"] as WireEvent & { readonly sub?: number }; // the owner's form of an event
    const follow = subs.get(event.sub ?? 0);
    // Events are missing: everything is read anew.
    if (event.event === "events.reset") follow?.begin();
    else follow?.heard(event);
  };
  return {
    connection,
    call,
    follow(follow) {
      follows.add(follow);
      used();
      if (send !== undefined) begin(follow).catch(later);
      return () => {
        follows.delete(follow);
        for (const [sub, mine] of subs) if (mine === follow) end(sub);
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
