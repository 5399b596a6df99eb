import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type {
  McpAnswer,
  McpAsked,
  McpConnection,
  McpConnector,
  McpLists,
  McpRequest,
} from "../../contracts/mcp/connection.js";
import type { McpEntry } from "../../contracts/mcp/entry.js";
import type { McpServerStatus } from "../../contracts/mcp/mcp.js";
import { createServerConnection } from "./connection.js";
import { createServerLists } from "./lists.js";
import { createRequestSender } from "./requests.js";
import { createReportedState } from "./state.js";

/** What one server is made with. */
export interface ServerParts {
  readonly name: string;
  readonly entry: McpEntry;
  readonly clock: Clock;
  readonly log: Log;
  readonly door: McpConnector;
  /** The process only looks: the server is not started by itself. */
  readonly looks?: true;
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

/** Its parts know each other in this order: state, lists, connection, requests. */
export function createServer(parts: ServerParts): Server {
  const { name, entry, clock, log, door } = parts;
  const stop = new AbortController();
  const stopping = stop.signal;
  const state = createReportedState(clock, entry.enabled ? "idle" : "disabled");
  const lists = createServerLists({ ...parts, stopping });
  const connection = createServerConnection({ ...parts, state, lists, stopping });
  const requests = createRequestSender({ clock, state, connection });
  let begun: Promise<void> | undefined;

  const begin = async (): Promise<void> => {
    if (!entry.enabled) return;
    const refusal = door.refusal(entry);
    if (refusal !== undefined) {
      state.fail(refusal);
      state.enter("refused");
      log.warning("an MCP server is refused", { server: name, reason: refusal });
      return;
    }
    const recalled = await lists.recall();
    if (parts.looks === true || parts.ofSession === true) return;
    if (recalled === "fresh" && entry.start === "lazy") return;
    const opening = connection.open(stopping).then(
      () => undefined,
      (error: unknown) => connection.retryAfter(error),
    );
    if (recalled === "missing") await opening;
  };

  return {
    name,
    entry,
    status: () => {
      const { resources = 0, prompts = 0, tools = [] } = lists.current() ?? {};
      const revision = lists.revision();
      const pid = connection.current()?.pid;
      const { state: now, ...more } = state.status();
      return {
        name,
        transport: entry.url === undefined ? "stdio" : entry.transport,
        state: now,
        tools: tools.length,
        resources,
        prompts,
        ...(revision === undefined ? {} : { era: revision }),
        ...(pid === undefined ? {} : { pid }),
        ...more,
        shared: entry.shared,
        enabled: entry.enabled,
      };
    },
    lists: lists.current,
    begin: () => {
      begun ??= begin().catch((error: unknown) => {
        state.fail(String(error));
        log.warning("an MCP server cannot be used", { server: name, error: String(error) });
      });
      return begun;
    },
    open: connection.open,
    request: requests.send,
    rootsChanged: () => connection.current()?.rootsChanged(),
    reconnect: async (signal) => {
      await connection.close();
      requests.forgive();
      await connection.open(signal);
    },
    stop: async () => {
      stop.abort(new Error("the server is stopped"));
      lists.cancel();
      await connection.stop();
    },
  };
}
