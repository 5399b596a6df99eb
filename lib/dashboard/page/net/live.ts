import type { PageConnection } from "../state/session.js";
import type { Store } from "../state/store.js";
import type { Api } from "./api.js";

const FIRST_MS = 1000;

const LONGEST_MS = 30_000;

/** How long to wait before the next try after so many failures in a row: 1 s, doubling to 30 s. */
export const retryDelay = (failures: number): number => Math.min(LONGEST_MS, FIRST_MS * 2 ** Math.max(0, failures - 1));

/** One JSON frame of a socket. */
export type Frame = Readonly<Record<string, unknown>>;

export interface LiveConnection {
  /** Try at once instead of when the wait is over. */
  now(): void;
  /** Leave the open socket, and connect again. */
  restart(): void;
  /** Unsubscribe. */
  close(): void;
}

interface LiveParts {
  readonly api: Api;
  readonly connection: Store<PageConnection>;
  readonly open: (url: URL) => WebSocket;
}

interface Line {
  readonly path: string;
  /** Asked before each try, so that a lost connection goes on behind what came last. */
  query(): Readonly<Record<string, string>>;
  frame(frame: Frame): void;
  /** The socket can be written to. */
  opened?(send: (text: string) => void): void;
  /** It no longer can. */
  lost?(): void;
}

/** Silence after which a socket counts as lost: the owner pings more often, but pings are not seen by a page. */
const STALLED_MS = 5000;

/** Keep one socket to the owner open: a ticket for each try, 1 s doubling to 30 s between tries, at once when the network is back. */
export function keepLine({ api, connection, open }: LiveParts, line: Line): LiveConnection {
  let failures = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let socket: WebSocket | undefined;
  let closed = false;

  const wait = (): void => {
    if (closed) return;
    failures += 1;
    const delay = retryDelay(failures);
    connection.set({ state: "waiting", failures, until: Date.now() + delay });
    timer = setTimeout(dial, delay);
  };
  const dial = (): void => {
    clearTimeout(timer);
    connection.set({ state: "connecting" });
    connect().catch(wait);
  };
  const connect = async (): Promise<void> => {
    const { ticket } = await api.send<{ ticket: string }>("POST", "api/auth/ws-ticket");
    if (closed) return;
    const url = api.url(line.path, { ...line.query(), ticket });
    url.protocol = url.protocol.replace("http", "ws");
    const opened = open(url);
    socket = opened;
    const late = setTimeout(() => opened.close(), STALLED_MS);
    opened.onmessage = ({ data }: MessageEvent<string>) => {
      clearTimeout(late);
      failures = 0;
      if (socket !== opened) return;
      connection.set(OPEN);
      line.frame(JSON.parse(data));
    };
    opened.onopen = () => line.opened?.((text) => opened.send(text));
    opened.onclose = () => {
      clearTimeout(late);
      line.lost?.();
      if (socket === opened) wait();
    };
  };
  const now = (): void => {
    if (!closed && connection.get().state === "waiting") dial();
  };
  globalThis.addEventListener("online", now);
  dial();
  return {
    now,
    restart() {
      if (closed || connection.get().state !== "open") return;
      const last = socket;
      socket = undefined;
      last?.close();
      dial();
    },
    close() {
      closed = true;
      clearTimeout(timer);
      globalThis.removeEventListener("online", now);
      const last = socket;
      socket = undefined;
      last?.close();
    },
  };
}

const OPEN: PageConnection = { state: "open" };
