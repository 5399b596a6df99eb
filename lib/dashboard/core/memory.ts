import { AppError, toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import { createPendingLogins, type PendingLogins } from "./logins.js";
import { createMcpLogins, type McpLogins } from "./mcp-logins.js";

/** A long action, while it runs and after it. */
export interface ActionStatus {
  readonly action: string;
  readonly state: "running" | "done" | "failed";
  readonly started_at: EpochMs;
  readonly ended_at: EpochMs | null;
  /** What the command answered; null unless it is done. */
  readonly result: unknown;
  readonly error: { readonly code: string; readonly detail: string } | null;
}

/** Actions that answer before they are done. Each is kept until it is started again. */
export interface Actions {
  /** Begin; what goes wrong shows in its status. @throws E_STATE it runs already */
  start(action: string, work: (signal: AbortSignal) => Promise<unknown>): ActionStatus;
  /** Undefined: it was never started here. */
  status(action: string): ActionStatus | undefined;
}

/** At most so many of something within a span. */
export interface RateLimit {
  /** Count one. @throws E_BUSY */
  take(): void;
}

/** What the endpoints of an owner keep between requests. */
export interface ApiMemory {
  readonly actions: Actions;
  /** Secrets shown in the clear. */
  readonly reveals: RateLimit;
  readonly logins: PendingLogins;
  /** To MCP servers. */
  readonly mcpLogins: McpLogins;
}

const REVEALS = 5;
const REVEALS_WITHIN: Ms = 30_000;
const ACTION_MS: Ms = 600_000;

export const createApiMemory = (clock: Clock, ids: Pick<Ids, "hex">): ApiMemory => ({
  actions: createActions(clock),
  reveals: createLimit(clock, REVEALS, REVEALS_WITHIN),
  logins: createPendingLogins(clock, ids),
  mcpLogins: createMcpLogins(),
});

function createActions(clock: Clock): Actions {
  const known = new Map<string, ActionStatus>();
  const run = async (begun: ActionStatus, work: (signal: AbortSignal) => Promise<unknown>) => {
    const ended = (end: Pick<ActionStatus, "state" | "result" | "error">) => {
      known.set(begun.action, { ...begun, ...end, ended_at: clock.now() });
    };
    const late = new AbortController();
    const stop = clock.after(ACTION_MS, () => late.abort(new AppError("E_INTERRUPTED", "timed out after ten minutes")));
    try {
      ended({ state: "done", result: await work(late.signal), error: null });
    } catch (thrown) {
      const { code, message } = toAppError(thrown);
      ended({ state: "failed", result: null, error: { code, detail: message } });
    } finally {
      stop();
    }
  };
  return {
    start: (action, work) => {
      if (known.get(action)?.state === "running")
        throw new AppError("E_STATE", `${action} is already running`, { action });
      const begun: ActionStatus = {
        action,
        state: "running",
        started_at: clock.now(),
        ended_at: null,
        result: null,
        error: null,
      };
      known.set(action, begun);
      void run(begun, work);
      return begun;
    },
    status: (action) => known.get(action),
  };
}

function createLimit(clock: Clock, most: number, within: Ms): RateLimit {
  let taken: Ms[] = [];
  return {
    take: () => {
      taken = taken.filter((at) => at > clock.mono() - within);
      if (taken.length >= most) throw new AppError("E_BUSY", `at most ${most} in ${within / 1000} s; wait, then retry`);
      taken.push(clock.mono());
    },
  };
}
