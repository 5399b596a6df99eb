import type { Clock } from "../../base/time/clock.js";
import type { EpochMs } from "../../base/units.js";
import type { McpServerStatus, McpState } from "../../contracts/mcp/mcp.js";

/** Characters of an error that a status shows. */
const ERROR_CHARS = 500;

/** What people see of a server: its state, since when, and what failed last. */
export interface ReportedState {
  current(): McpState;
  /** Change the state. Entering the present one leaves its time alone. */
  enter(next: McpState): void;
  /** Keep what failed. It is shown in every state until `recover`. */
  fail(text: string): void;
  /** Forget what failed: the server is connected. */
  recover(): void;
  lastError(): string | undefined;
  status(): Pick<McpServerStatus, "state" | "since" | "last_error" | "last_error_at">;
}

/** The first state begins now; nothing has failed. */
export function createReportedState(clock: Pick<Clock, "now">, first: McpState): ReportedState {
  let state = first;
  let since = clock.now();
  let error: { readonly text: string; readonly at: EpochMs } | undefined;
  return {
    current: () => state,
    enter: (next) => {
      if (state !== next) since = clock.now();
      state = next;
    },
    fail: (text) => {
      error = { text: text.slice(0, ERROR_CHARS), at: clock.now() };
    },
    recover: () => {
      error = undefined;
    },
    lastError: () => error?.text,
    status: () => ({
      state,
      since,
      ...(error === undefined ? {} : { last_error: error.text, last_error_at: error.at }),
    }),
  };
}
