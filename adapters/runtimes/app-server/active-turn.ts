import { isRecord } from "../../../lib/base/json/record.js";
import type { Log } from "../../../lib/base/log/log.js";
import { CALLBACK_SERVER } from "../../../lib/contracts/runtimes/callback-wire.js";
import type { RuntimeHost } from "../../../lib/contracts/runtimes/runtime.js";
import { callOf } from "./items.js";
import { createRequests, type Reply, type RequestId } from "./requests/requests.js";
import { createRunningTurn, type RunningTurn } from "./running.js";

/** The turn that a program works, with the questions that it asks meanwhile. */
export interface ActiveTurn {
  readonly running: RunningTurn;
  /** Answer a request of the program. What it told before it asked is stored first. @returns undefined: it is not answered */
  answer(method: string, id: RequestId, params: unknown): Promise<Reply | undefined>;
  /** Whether a request waits for its answer. */
  asking(): boolean;
  /** Withdraw the open questions: the turn is over, or was interrupted. */
  withdraw(reason: unknown): void;
}

interface Parts {
  readonly thread: string;
  readonly host: RuntimeHost;
  readonly cwd: string;
  readonly log: Log;
}

/** @see ActiveTurn */
export function createActiveTurn({ thread, host, cwd, log }: Parts): ActiveTurn {
  const over = new AbortController();
  let asking = 0;
  const running: RunningTurn = createRunningTurn({
    thread,
    host,
    log,
    resolved: (request) => requests.resolved(request),
  });
  const requests = createRequests({
    host: withCallIds(host, running),
    itemsStarted: running.started,
    cwd,
    callbackServer: CALLBACK_SERVER,
    log,
  });
  return {
    running,
    answer: async (method, id, params) => {
      asking += 1;
      try {
        await running.idle();
        return await requests.answer(method, id, params, over.signal);
      } finally {
        asking -= 1;
      }
    },
    asking: () => asking > 0,
    withdraw: (reason) => over.abort(reason),
  };
}

/** Questions name a call as the transcript does. */
function withCallIds(host: RuntimeHost, { started }: RunningTurn): Pick<RuntimeHost, "permit" | "ask" | "notice"> {
  return {
    ask: (question, signal) => host.ask(question, signal),
    notice: (notice) => host.notice(notice),
    permit: (asked, signal) => {
      const item = started.get(asked.callId);
      const call = isRecord(item) ? callOf(item) : undefined;
      return host.permit(call === undefined ? asked : { ...asked, callId: call.id }, signal);
    },
  };
}
