import type { Clock } from "../../lib/base/time/clock.js";
import type { Ms } from "../../lib/base/units.js";
import { type McpAsked, McpFailure, type McpRequest } from "../../lib/contracts/mcp/connection.js";

/** What a server asks on one connection: while a person or a model is asked, the time of its calls stands still. */
export interface Asking {
  /** Questions that are open. */
  readonly open: number;
  /** The same, with every question counted. */
  watched(asked: McpAsked): McpAsked;
}

export function createAsking(): Asking {
  let open = 0;
  const counted = async <T>(work: () => Promise<T>): Promise<T> => {
    open += 1;
    try {
      return await work();
    } finally {
      open -= 1;
    }
  };
  return {
    get open() {
      return open;
    },
    watched: (asked) => {
      const { sampling } = asked;
      return {
        ...asked,
        elicit: (params, signal) => counted(() => asked.elicit(params, signal)),
        ...(sampling === undefined ? {} : { sampling: (params, signal) => counted(() => sampling(params, signal)) }),
      };
    },
  };
}

/** The time of one call (extensions part, 2.1): progress starts it over, up to an end. */
export interface CallLimit {
  /** Aborts with the user's signal, and when the time is over. */
  readonly signal: AbortSignal;
  progress(text: string): void;
  /** The failure, when the time was over. */
  over(): McpFailure | undefined;
  /** Let go of everything. */
  end(): void;
}

/** How often it is looked at while a question is open. */
const LOOK_MS: Ms = 1_000;

export function createCallLimit(
  clock: Clock,
  request: Pick<McpRequest, "signal" | "timeoutMs" | "maxMs" | "progress">,
  asking: Pick<Asking, "open">,
): CallLimit {
  const control = new AbortController();
  const stop = (): void => control.abort(request.signal.reason);
  if (request.signal.aborted) stop();
  request.signal.addEventListener("abort", stop, { once: true });
  let failure: McpFailure | undefined;
  const expire = (ms: Ms, how: string): void => {
    failure = new McpFailure("timeout", `no answer within ${ms / 1000} s${how}`);
    control.abort(failure);
  };
  /** A timer that does not run out while a question is open. */
  const timer = (ms: Ms, how: string): (() => void) => {
    let left = clock.after(ms, () => look());
    const look = (): void => {
      if (asking.open === 0) expire(ms, how);
      else left = clock.after(LOOK_MS, look);
    };
    return () => left();
  };
  let cancelIdle = timer(request.timeoutMs, "");
  const cancelMost = timer(request.maxMs, ", with progress");
  return {
    signal: control.signal,
    progress: (text) => {
      cancelIdle();
      cancelIdle = timer(request.timeoutMs, "");
      request.progress?.(text);
    },
    over: () => failure,
    end: () => {
      cancelIdle();
      cancelMost();
      request.signal.removeEventListener("abort", stop);
    },
  };
}
