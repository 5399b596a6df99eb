import { linkSignals } from "../../base/async/abort-any.js";
import { unlessAborted } from "../../base/async/aborted.js";
import { runCleanupsTogether } from "../../base/async/cleanup.js";
import { createRunningWork } from "../../base/async/running-work.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import {
  type McpAsked,
  McpConnectError,
  type McpConnectFailure,
  type McpConnection,
  type McpConnector,
  McpFailure,
  type McpHooks,
} from "../../contracts/mcp/connection.js";
import type { McpEntry } from "../../contracts/mcp/entry.js";
import { createIdleClose } from "./idle-close.js";
import type { ServerLists } from "./lists.js";
import { createRetry } from "./retry.js";
import type { ReportedState } from "./state.js";

const LOGGED_CHARS = 1_000;

/** What one server is connected with. */
export interface ServerConnectionParts {
  readonly name: string;
  readonly entry: McpEntry;
  readonly clock: Clock;
  readonly log: Log;
  readonly door: Pick<McpConnector, "connect">;
  readonly asked: McpAsked;
  /** It is for one session: the session's next call opens it again, nothing else does. */
  readonly ofSession?: true;
  readonly state: ReportedState;
  readonly lists: ServerLists;
  /** Aborts when the server is stopped. */
  readonly stopping: AbortSignal;
}

/** The connection of a server: opened when it is used, again when it was lost, closed when it is unused. One at a time. */
export interface ServerConnection {
  current(): McpConnection | undefined;
  /** Connect unless it is connected; all who wait share one attempt. @throws McpConnectError */
  open(signal: AbortSignal): Promise<McpConnection>;
  /** A call begins: it keeps the connection from being closed as unused. @returns what ends it */
  beginCall(): () => void;
  /** This connection is no longer useful; another is opened later by itself, unless the server is unused. */
  lose(connection: McpConnection, reason: string): void;
  /** Try again later, where the failure to connect may end by itself; else the next use tries. */
  retryAfter(failure: unknown): void;
  /** Close it, and forget how often it failed. */
  close(): Promise<void>;
  /** Close it for good. The signal `stopping` has aborted. */
  stop(): Promise<void>;
}

/** Not connected yet. */
export function createServerConnection(parts: ServerConnectionParts): ServerConnection {
  const { name, entry, clock, log, state, lists, stopping } = parts;
  let connection: McpConnection | undefined;
  let opening: Promise<McpConnection> | undefined;
  const closing = createRunningWork();

  const retry = createRetry(clock, () => {
    open(stopping).catch((error: unknown) => retryAfter(error));
  });
  const idle = createIdleClose({
    clock,
    idleMs: entry.idle_minutes * 60_000,
    closes: entry.url === undefined || parts.ofSession === true,
    close: () => {
      state.enter("idle");
      releaseUnwatched();
    },
  });
  const hooks: McpHooks = {
    asked: parts.asked,
    changed: () => lists.changed(() => connection),
    say: (level, text) => log[level](text.slice(0, LOGGED_CHARS), { server: name }),
  };

  const open = (signal: AbortSignal): Promise<McpConnection> => {
    if (stopping.aborted) return Promise.reject(new McpConnectError("failed", "it was stopped"));
    if (connection !== undefined) return Promise.resolve(connection);
    opening ??= connect().finally(() => {
      opening = undefined;
    });
    return unlessAborted(opening, signal);
  };
  const connect = async (): Promise<McpConnection> => {
    retry.cancel();
    if (state.current() !== "reconnecting") state.enter("starting");
    try {
      const opened = await attempt(parts, hooks);
      use(opened);
      return opened;
    } catch (error) {
      const failure = toConnectError(error);
      state.fail(failure.message);
      state.enter(stateAfter(failure.kind));
      log.warning("an MCP server is not connected", { server: name, reason: failure.message });
      throw failure;
    }
  };
  const use = (opened: McpConnection): void => {
    connection = opened;
    retry.reset();
    state.recover();
    state.enter("ready");
    idle.start();
    opened.ended.then(
      (reason) => lose(opened, reason),
      (error: unknown) => lose(opened, String(error)),
    );
  };

  const lose = (lost: McpConnection, reason: string): void => {
    if (connection !== lost) return;
    releaseUnwatched(); // the program may have left others behind
    lists.cancel();
    if (stopping.aborted) return;
    state.fail(reason);
    log.info("an MCP server ended its connection", { server: name, reason });
    retryLater();
  };
  const retryLater = (): void => {
    retry.cancel();
    if (stopping.aborted || parts.ofSession === true || !isWanted()) {
      state.enter("idle");
      return;
    }
    state.enter("reconnecting");
    retry.schedule();
  };
  /** A server that is unused is started again by its next call, not before. */
  const isWanted = (): boolean => lists.current() === undefined || entry.start === "eager" || idle.isInUse();
  const retryAfter = (failure: unknown): void => {
    if (failure instanceof McpConnectError && failure.kind !== "failed") return;
    retryLater();
  };

  /** Let the connection go. `stop` waits until it is closed, no matter who let it go. */
  const release = async (): Promise<void> => {
    const released = connection;
    connection = undefined;
    idle.stop();
    if (released !== undefined) await closing.add(released.close());
  };
  const releaseUnwatched = (): void => {
    release().catch((error: unknown) =>
      log.warning("an MCP server was not stopped", { server: name, error: String(error) }),
    );
  };
  return {
    current: () => connection,
    open,
    beginCall: idle.beginCall,
    lose,
    retryAfter,
    close: async () => {
      retry.cancel();
      await release();
      retry.reset();
    },
    stop: async () => {
      retry.cancel();
      await opening?.catch(() => undefined); // who opens it has the failure
      await runCleanupsTogether([release, closing.settled]);
    },
  };
}

/** Connect once and read the lists, within the time of the entry. What fails leaves nothing open. */
async function attempt(
  { name, entry, clock, door, lists, stopping }: ServerConnectionParts,
  hooks: McpHooks,
): Promise<McpConnection> {
  const limit = new AbortController();
  const cancel = clock.after(entry.connect_timeout * 1000, () => limit.abort());
  const { signal, dispose } = linkSignals(limit.signal, stopping);
  let connection: McpConnection | undefined;
  try {
    connection = await door.connect({ name, entry, signal, hooks });
    if (stopping.aborted) throw new McpConnectError("failed", "it was stopped");
    await lists.read(connection);
    return connection;
  } catch (error) {
    await connection?.close().catch(() => undefined); // the first failure is the one to report
    if (!limit.signal.aborted) throw error;
    const { kind } = toConnectError(error);
    throw new McpConnectError(kind, `it did not answer within ${entry.connect_timeout} s`, error);
  } finally {
    cancel();
    dispose();
  }
}

function toConnectError(error: unknown): McpConnectError {
  if (error instanceof McpConnectError) return error;
  const kind = error instanceof McpFailure && error.kind === "login" ? "login" : "failed";
  return new McpConnectError(kind, error instanceof Error ? error.message : String(error), error);
}

function stateAfter(failure: McpConnectFailure): "refused" | "needs_login" | "failed" {
  if (failure === "refused") return "refused";
  return failure === "login" ? "needs_login" : "failed";
}
