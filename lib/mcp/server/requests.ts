import type { Clock } from "../../base/time/clock.js";
import {
  type McpAnswer,
  McpConnectError,
  type McpConnection,
  McpFailure,
  type McpFailureKind,
  type McpRequest,
} from "../../contracts/mcp/connection.js";
import { createBreaker } from "./breaker.js";
import type { ServerConnection } from "./connection.js";
import type { ReportedState } from "./state.js";

/** The connection that failed so is of no use to the next request. */
const ENDS_CONNECTION: ReadonlySet<McpFailureKind> = new Set(["lost", "unsent", "session"]);
/** What counts against a server that calls are not sent to for a while. */
const COUNTS: ReadonlySet<McpFailureKind> = new Set(["lost", "unsent", "timeout"]);

/** What requests of calls are sent with. */
export interface RequestSenderParts {
  readonly clock: Clock;
  readonly state: ReportedState;
  readonly connection: ServerConnection;
}

/** Requests of calls, each on a connection that is opened for it when none is open. */
export interface RequestSender {
  /** @param again it may run twice @throws McpFailure */
  send(request: McpRequest, again: boolean): Promise<McpAnswer>;
  /** Forget failures: the next request is sent. */
  forgive(): void;
}

/** The circuit breaker is closed: requests are sent. */
export function createRequestSender({ clock, state, connection }: RequestSenderParts): RequestSender {
  const breaker = createBreaker(clock);

  const openFor = async ({ signal }: McpRequest): Promise<McpConnection> => {
    try {
      return await connection.open(signal);
    } catch (error) {
      if (signal.aborted) throw new McpFailure("cancelled", "the user cancelled the call", error);
      breaker.failed();
      connection.retryAfter(error);
      const kind = error instanceof McpConnectError && error.kind === "login" ? "login" : "unsent";
      throw new McpFailure(kind, error instanceof Error ? error.message : String(error), error);
    }
  };
  const sendOnce = async (request: McpRequest): Promise<McpAnswer> => {
    const open = await openFor(request);
    try {
      const answer = await open.send(request);
      breaker.worked();
      return answer;
    } catch (error) {
      if (error instanceof McpFailure) note(error, open);
      throw error;
    }
  };
  const note = ({ kind, message }: McpFailure, open: McpConnection): void => {
    if (COUNTS.has(kind)) breaker.failed();
    else if (kind === "answered") breaker.worked();
    if (ENDS_CONNECTION.has(kind)) connection.lose(open, message);
    if (kind === "login") {
      state.fail(message);
      state.enter("needs_login");
    }
  };

  return {
    send: async (request, again) => {
      const blockedMs = breaker.blocked();
      if (blockedMs !== undefined)
        throw new McpFailure(
          "unsent",
          `it failed several times in a row (${state.lastError() ?? "no answer"}); calls are tried again in ${Math.ceil(blockedMs / 1000)} s`,
        );
      const end = connection.beginCall();
      try {
        return await sendOnce(request);
      } catch (error) {
        if (request.signal.aborted || !repeats(error, again)) throw error;
        return await sendOnce(request);
      } finally {
        end();
      }
    },
    forgive: breaker.worked,
  };
}

/** A server that has forgotten the session did nothing; one whose connection was lost may have done it. */
const repeats = (error: unknown, again: boolean): boolean =>
  error instanceof McpFailure && (error.kind === "session" || (error.kind === "lost" && again));
