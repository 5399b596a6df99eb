import type { Log } from "../../../lib/base/log/log.js";
import type { Ms } from "../../../lib/base/units.js";
import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";
import { socketAgent } from "../../../lib/safety/net/socket-agent.js";
import type { Library } from "./library.js";
import { type Taken, toastOf } from "./receive.js";
import type { Endpoint } from "./wire.js";

export interface SocketParts {
  readonly library: Library;
  readonly endpoint: Endpoint;
  readonly apiBase: string;
  readonly log: Log;
  /** Take one event; the frame is acknowledged when this resolves with `done`, and refused for `busy`. */
  readonly take: (payload: unknown) => Promise<Taken>;
  /** The connection is gone. Not called after `close`. */
  readonly lost: (fault: AdapterFault) => void;
}

/** A long connection that is open. */
export interface OpenSocket {
  /** Takes nothing more, waits for what is being stored, closes. Leaves no timer and no socket. */
  close(): Promise<void>;
}

const HANDSHAKE_MS: Ms = 10_000;
/** Silence after a ping that means that the other side is gone. */
const PONG_S = 30;
/** The library asks for an id of this form and sends it nowhere: the address was asked for before. */
const UNUSED = { appId: "cli_0000000000000000", appSecret: "unused" } as const;

type Options = ConstructorParameters<Library["WSClient"]>[0];

/** Open the long connection. It is made once: the supervisor of adapters opens it again, at its own pace. */
export async function openSocket(parts: SocketParts, signal: AbortSignal): Promise<OpenSocket | AdapterFault> {
  const { library, endpoint, apiBase, lost } = parts;
  const wire = socketAgent(endpoint.URL.startsWith("wss:"));
  const under = new Set<Promise<Taken>>();
  let state: "opening" | "open" | "closed" = "opening";
  const opened = deferred<AdapterFault | undefined>();
  const client = new library.WSClient({
    ...UNUSED,
    domain: apiBase,
    agent: wire.agent,
    autoReconnect: false,
    handshakeTimeoutMs: HANDSHAKE_MS,
    wsConfig: { pingTimeout: PONG_S },
    loggerLevel: library.LoggerLevel.fatal,
    logger: SILENT,
    httpInstance: answering(endpoint),
    onReady: () => opened.resolve(undefined),
    onError: () => opened.resolve(FAILED),
  });
  const close = async () => {
    state = "closed";
    await Promise.allSettled([...under]);
    client.close({ force: true });
    wire.destroy();
  };
  wire.onClose(() => {
    opened.resolve(FAILED);
    if (state !== "open") return;
    state = "closed";
    lost({ code: "network", message: "the long connection to the platform ended" });
  });
  const invoke = async (payload: unknown): Promise<ReturnType<typeof toastOf>> => {
    if (state === "closed") throw new Error("no longer connected");
    const taking = parts.take(payload);
    under.add(taking);
    try {
      const taken = await taking;
      if (taken === "busy") throw new Error("not stored yet");
      return toastOf(taken);
    } finally {
      under.delete(taking);
    }
  };
  const stop = () => opened.resolve({ code: "timeout", message: "the connect was stopped" });
  signal.addEventListener("abort", stop, { once: true });
  try {
    // Of a dispatcher the client calls `invoke` alone, with the event as it came.
    await client.start({
      eventDispatcher: { invoke } as unknown as Parameters<typeof client.start>[0]["eventDispatcher"],
    });
    if (signal.aborted) stop();
    const fault = await opened.promise;
    if (fault === undefined) {
      state = "open";
      return { close };
    }
    await close();
    return fault;
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

const FAILED: AdapterFault = { code: "network", message: "the long connection to the platform cannot be opened" };

/** The library asks for the address of the connection by this; we asked for it, with our own limits and care for secrets. */
function answering(endpoint: Endpoint): NonNullable<Options["httpInstance"]> {
  const request = async () => ({ code: 0, msg: "", data: endpoint });
  return { request } as unknown as NonNullable<Options["httpInstance"]>; // a client of the long connection makes no other request
}

const nothing = () => undefined;
/** It writes whole messages into its log. */
const SILENT = { error: nothing, warn: nothing, info: nothing, debug: nothing, trace: nothing };

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
