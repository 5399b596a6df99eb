import { linked } from "../base/async/abort-any.js";
import type { EpochMs, Ms } from "../base/units.js";
import {
  type McpAnswer,
  type McpAsked,
  McpConnectError,
  type McpConnection,
  McpFailure,
  type McpLists,
  type McpManifest,
  type McpRequest,
} from "../contracts/mcp/connection.js";
import type { McpEntry } from "../contracts/mcp/entry.js";
import type { McpServerStatus, McpState } from "../contracts/mcp/mcp.js";
import { createBreaker } from "./breaker.js";
import type { McpPoolParts } from "./parts.js";

/** Extensions part, 2.6. */
const FIRST_WAIT_MS: Ms = 1_000;
const LONGEST_WAIT_MS: Ms = 60_000;
const MANIFEST_MS: Ms = 24 * 3_600_000;
const SETTLE_MS: Ms = 200;

export interface ServerParts extends Pick<McpPoolParts, "clock" | "log" | "door" | "looks"> {
  readonly name: string;
  readonly entry: McpEntry;
  /** What the server may ask while one of these calls runs. */
  readonly asked: McpAsked;
  /** Its tools are others than before, or are known for the first time. */
  listed(lists: McpLists, before: McpLists | undefined): void;
  /** It serves one session: its lists are those of the shared one. */
  readonly ofSession?: true;
}

/** One server of the pool, across all its connections. */
export interface Server {
  readonly name: string;
  readonly entry: McpEntry;
  status(): McpServerStatus;
  lists(): McpLists | undefined;
  /** Read what is known of it; connect in the background where that is not enough. Harmless twice. Resolves when its tools are known or cannot be had now. */
  begin(): Promise<void>;
  /** Connect now unless it is connected. @throws McpConnectError */
  open(signal: AbortSignal): Promise<McpConnection>;
  /** One request, on a connection that is opened for it when none is open. @param again it may run twice @throws McpFailure */
  request(request: McpRequest, again: boolean): Promise<McpAnswer>;
  rootsChanged(): void;
  /** Let the connection go and connect again. @throws McpConnectError */
  reconnect(signal: AbortSignal): Promise<void>;
  /** Nothing of it is left afterwards. */
  stop(): Promise<void>;
}

interface Memory {
  state: McpState;
  since: EpochMs;
  error?: { readonly text: string; readonly at: EpochMs };
  connection?: McpConnection;
  opening?: Promise<McpConnection>;
  lists?: McpLists;
  listsAt?: EpochMs;
  revision?: string;
  begun?: Promise<void>;
  wait: Ms;
  calls: number;
  lastUse: Ms;
  cancelRetry: () => void;
  cancelIdle: () => void;
  cancelSettle: () => void;
  stopped: boolean;
}

export function createServer(parts: ServerParts): Server {
  const { name, entry, clock, log, door } = parts;
  const breaker = createBreaker(clock);
  const stopping = new AbortController();
  const nothing = (): void => undefined;
  const memory: Memory = {
    state: entry.enabled ? "idle" : "disabled",
    since: clock.now(),
    wait: FIRST_WAIT_MS,
    calls: 0,
    lastUse: clock.mono(),
    cancelRetry: nothing,
    cancelIdle: nothing,
    cancelSettle: nothing,
    stopped: false,
  };
  const isProgram = entry.url === undefined;
  const connectMs = entry.connect_timeout * 1000;

  const enter = (state: McpState): void => {
    if (memory.state !== state) memory.since = clock.now();
    memory.state = state;
  };
  const wentWrong = (text: string): void => {
    memory.error = { text: text.slice(0, 500), at: clock.now() };
  };

  const take = async (connection: McpConnection): Promise<void> => {
    const lists = await connection.lists(connectMs, stopping.signal);
    const before = memory.lists;
    memory.lists = lists;
    memory.listsAt = clock.now();
    memory.revision = connection.revision;
    if (parts.ofSession !== true)
      await door.writeManifest(name, entry, { at: clock.now(), lists, revision: connection.revision });
    parts.listed(lists, before);
  };

  const connect = async (signal: AbortSignal): Promise<McpConnection> => {
    memory.cancelRetry();
    enter(memory.state === "reconnecting" ? "reconnecting" : "starting");
    const limit = new AbortController();
    const cancel = clock.after(connectMs, () => limit.abort(new Error("it did not answer in time")));
    const { signal: either, dispose } = linked(signal, limit.signal, stopping.signal);
    let connection: McpConnection | undefined;
    try {
      connection = await door.connect({ name, entry, signal: either, hooks: hooks() });
      if (memory.stopped) throw new McpConnectError("failed", "it was stopped");
      await take(connection);
      opened(connection);
      return connection;
    } catch (error) {
      await connection?.close().catch(nothing);
      throw notConnected(
        error,
        limit.signal.aborted ? `it did not answer within ${entry.connect_timeout} s` : undefined,
      );
    } finally {
      cancel();
      dispose();
    }
  };

  const opened = (connection: McpConnection): void => {
    memory.connection = connection;
    memory.wait = FIRST_WAIT_MS;
    delete memory.error;
    enter("ready");
    watchIdle();
    connection.ended.then(
      (reason) => lost(connection, reason),
      (error: unknown) => lost(connection, String(error)),
    );
  };

  const notConnected = (error: unknown, late: string | undefined): McpConnectError => {
    const kind = error instanceof McpConnectError ? error.kind : "failed";
    const failure = error instanceof McpFailure && error.kind === "login" ? "login" : kind;
    const text = late ?? (error instanceof Error ? error.message : String(error));
    wentWrong(text);
    enter(failure === "refused" ? "refused" : failure === "login" ? "needs_login" : "failed");
    log.warning("an MCP server is not connected", { server: name, reason: text });
    return new McpConnectError(failure, text, error);
  };

  const lost = (connection: McpConnection, reason: string): void => {
    if (memory.connection !== connection) return;
    delete memory.connection;
    memory.cancelIdle();
    memory.cancelSettle();
    if (memory.stopped) return;
    wentWrong(reason);
    log.info("an MCP server ended its connection", { server: name, reason });
    retryLater();
  };

  /** A server that was unused for this time is started again with its next call, not before. */
  const isWanted = (): boolean => {
    if (memory.lists === undefined || entry.start === "eager") return true;
    return entry.idle_minutes === 0 || clock.mono() - memory.lastUse < entry.idle_minutes * 60_000;
  };

  const retryLater = (): void => {
    memory.cancelRetry();
    if (memory.stopped || parts.ofSession === true || !isWanted()) {
      enter("idle");
      return;
    }
    enter("reconnecting");
    memory.cancelRetry = clock.after(memory.wait, () => {
      open(stopping.signal).catch((error: unknown) => retryAfter(error));
    });
    memory.wait = Math.min(memory.wait * 2, LONGEST_WAIT_MS);
  };
  /** What will not work by itself is tried with the next use. */
  const retryAfter = (error: unknown): void => {
    if (error instanceof McpConnectError && error.kind !== "failed") return;
    retryLater();
  };

  const open = (signal: AbortSignal): Promise<McpConnection> => {
    if (memory.stopped) return Promise.reject(new McpConnectError("failed", "it was stopped"));
    if (memory.connection !== undefined) return Promise.resolve(memory.connection);
    memory.opening ??= connect(stopping.signal).finally(() => {
      delete memory.opening;
    });
    return waitFor(memory.opening, signal);
  };

  const watchIdle = (): void => {
    memory.cancelIdle();
    if (entry.idle_minutes === 0 || (!isProgram && parts.ofSession !== true)) return;
    memory.cancelIdle = clock.after(entry.idle_minutes * 60_000, () => {
      if (memory.calls > 0) return watchIdle();
      const { connection } = memory;
      delete memory.connection;
      enter("idle");
      connection
        ?.close()
        .catch((error: unknown) =>
          log.warning("an MCP server was not stopped", { server: name, error: String(error) }),
        );
    });
  };

  const hooks = () => ({
    asked: parts.asked,
    changed: () => {
      memory.cancelSettle();
      memory.cancelSettle = clock.after(SETTLE_MS, () => {
        const { connection } = memory;
        if (connection === undefined) return;
        take(connection).catch((error: unknown) =>
          log.warning("the changed tools of an MCP server were not read", { server: name, error: String(error) }),
        );
      });
    },
    say: (level: "debug" | "info" | "warning" | "error", text: string) =>
      log[level](text.slice(0, 1_000), { server: name }),
  });

  const known = async (): Promise<void> => {
    if (!entry.enabled) return;
    const refused = door.refusal(entry);
    if (refused !== undefined) {
      wentWrong(refused);
      enter("refused");
      log.warning("an MCP server is refused", { server: name, reason: refused });
      return;
    }
    const manifest = await door.readManifest(name, entry);
    if (manifest !== undefined && memory.lists === undefined) {
      memory.lists = manifest.lists;
      memory.listsAt = manifest.at;
      memory.revision = manifest.revision;
      parts.listed(manifest.lists, undefined);
    }
    if (parts.looks === true || parts.ofSession === true || (isFresh(manifest, clock.now()) && entry.start === "lazy"))
      return;
    const opening = open(stopping.signal).then(
      () => undefined,
      (error: unknown) => retryAfter(error),
    );
    if (manifest === undefined) await opening;
  };

  const once = async (request: McpRequest): Promise<McpAnswer> => {
    const connection = await openFor(request);
    try {
      const answer = await connection.send(request);
      breaker.worked();
      return answer;
    } catch (error) {
      if (!(error instanceof McpFailure)) throw error;
      if (error.kind === "lost" || error.kind === "unsent" || error.kind === "timeout") breaker.failed();
      else if (error.kind === "answered") breaker.worked();
      if (error.kind === "lost" || error.kind === "unsent" || error.kind === "session") lost(connection, error.message);
      if (error.kind === "login") {
        wentWrong(error.message);
        enter("needs_login");
      }
      throw error;
    }
  };
  const openFor = async (request: McpRequest): Promise<McpConnection> => {
    try {
      return await open(request.signal);
    } catch (error) {
      if (request.signal.aborted) throw new McpFailure("cancelled", "the user cancelled the call", error);
      breaker.failed();
      retryAfter(error);
      const kind = error instanceof McpConnectError && error.kind === "login" ? "login" : "unsent";
      throw new McpFailure(kind, error instanceof Error ? error.message : String(error), error);
    }
  };

  const server: Server = {
    name,
    entry,
    status: () => statusOf(parts, memory),
    lists: () => memory.lists,
    begin: () => {
      memory.begun ??= known().catch((error: unknown) => {
        wentWrong(String(error));
        log.warning("an MCP server cannot be used", { server: name, error: String(error) });
      });
      return memory.begun;
    },
    open,
    request: async (request, again) => {
      const blocked = breaker.blocked();
      if (blocked !== undefined)
        throw new McpFailure(
          "unsent",
          `it failed several times in a row (${memory.error?.text ?? "no answer"}); calls are tried again in ${Math.ceil(blocked / 1000)} s`,
        );
      memory.calls += 1;
      memory.lastUse = clock.mono();
      try {
        return await once(request);
      } catch (error) {
        const repeats =
          error instanceof McpFailure &&
          (error.kind === "session" || (error.kind === "lost" && again)) &&
          !request.signal.aborted;
        if (!repeats) throw error;
        return await once(request);
      } finally {
        memory.calls -= 1;
        memory.lastUse = clock.mono();
        watchIdle();
      }
    },
    rootsChanged: () => memory.connection?.rootsChanged(),
    reconnect: async (signal) => {
      memory.cancelRetry();
      const { connection } = memory;
      delete memory.connection;
      await connection?.close();
      breaker.worked();
      memory.wait = FIRST_WAIT_MS;
      await open(signal);
    },
    stop: async () => {
      memory.stopped = true;
      for (const cancel of [memory.cancelRetry, memory.cancelIdle, memory.cancelSettle]) cancel();
      stopping.abort(new Error("the server is stopped"));
      await memory.opening?.catch(nothing);
      const { connection } = memory;
      delete memory.connection;
      await connection?.close();
    },
  };
  return server;
}

const isFresh = (manifest: McpManifest | undefined, now: EpochMs): boolean =>
  manifest !== undefined && now - manifest.at < Math.min(manifest.lists.ttl_ms ?? MANIFEST_MS, MANIFEST_MS);

/** The work goes on for the others that wait for it. */
async function waitFor<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) throw signal.reason;
  let stop: () => void = () => undefined;
  const left = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
  });
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, left]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

function statusOf({ name, entry }: ServerParts, memory: Memory): McpServerStatus {
  const { state, since, error, connection, lists, revision } = memory;
  return {
    name,
    transport: entry.url === undefined ? "stdio" : entry.transport,
    state,
    tools: lists?.tools.length ?? 0,
    resources: lists?.resources ?? 0,
    prompts: lists?.prompts ?? 0,
    ...(revision === undefined ? {} : { era: revision }),
    ...(connection?.pid === undefined ? {} : { pid: connection.pid }),
    since,
    ...(error === undefined ? {} : { last_error: error.text, last_error_at: error.at }),
    shared: entry.shared,
    enabled: entry.enabled,
  };
}
