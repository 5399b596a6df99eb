import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import type { WorkerBrief, WorkerMethod } from "../board/worker-api/worker-methods.js";
import { TRACE_MARK } from "../board/worker-process/runner-files.js";
import { remoteTranscript } from "../chat/transcript/transcript-remote.js";
import { projectDirectory } from "../checkpoints/place.js";
import type { SessionRecord } from "../contracts/chat/chat.js";
import type { CheckpointTaker, TakenCheckpoint } from "../contracts/owner/checkpoints.js";
import type { BoardPort } from "../tools/core/board-port.js";
import { ownerBrowser } from "./worker-browser.js";
import { createSpending, outOfBudget, watched } from "./worker-budget.js";
import { createWorkerCall } from "./worker-call.js";
import { createLease } from "./worker-lease.js";
import { EXIT, noUsage, type WorkerRun, type WorkerRunDeps, WorkerStop } from "./worker-state.js";
import { ownerTools } from "./worker-tools.js";
import { toWorkerExitCode, workTurns } from "./worker-turns.js";

/** Work on the task of a claim, as board part 7.5 says. @returns the exit code */
export async function workTask(deps: WorkerRunDeps): Promise<number> {
  const control = new AbortController();
  const stop = () => control.abort(new WorkerStop(EXIT.terminated, "SIGTERM", true));
  deps.terminated.addEventListener("abort", stop, { once: true });
  if (deps.terminated.aborted) stop();
  const run: WorkerRun = { deps, control, call: createWorkerCall(deps, control), terminal: false, usage: noUsage() };
  const lease = createLease(deps.clock, deps.claim.ttl_seconds * 1000, () =>
    control.abort(new WorkerStop(EXIT.lost, "the lease expired without an owner")),
  );
  const forget = [deps.client.onClose(lease.lost), deps.client.onConnect(lease.met)];
  if (!deps.client.connected) lease.lost();
  try {
    return await work(run, lease);
  } catch (error) {
    return toWorkerExitCode(run, error);
  } finally {
    lease.stop();
    for (const off of forget) off();
    deps.terminated.removeEventListener("abort", stop);
  }
}

async function work(run: WorkerRun, lease: ReturnType<typeof createLease>): Promise<number> {
  const { deps } = run;
  const brief = (await run.call("worker.context" satisfies WorkerMethod, { cwd: deps.cwd })) as WorkerBrief; // the answer of createWorkerMethods
  if (brief.over_budget) {
    outOfBudget(run);
    return EXIT.done;
  }
  deps.trace(`${TRACE_MARK}session ${brief.session.id} (agent sessions show ${brief.session.id})`);
  const activity = heartbeat(run, lease);
  const remote = remoteTranscript((method, params) => run.call(method, params as object), brief.session); // methods send objects
  const checkpoints = remoteTaker(run.call, () => remote.session);
  const tools = ownerTools({ call: run.call, session: () => remote.session.id, activity });
  const browser = ownerBrowser({ call: run.call, ids: deps.ids, session: () => remote.session.id, activity });
  const spending = createSpending(run);
  const transcript = watched(remote, run, { activity, spending });
  const parts = { transcript, board: boardPort(run, brief), checkpoints, tools, browser, activity, spending };
  const conversation = await deps.converse(brief, parts);
  try {
    return await workTurns({ run, brief, conversation, parts });
  } finally {
    await conversation.close();
  }
}

/** The heartbeat of a run. One that fails is dropped, unless the claim is lost. */
function heartbeat(run: WorkerRun, lease: ReturnType<typeof createLease>): () => void {
  const { clock } = run.deps;
  return createWorkerHeartbeat(clock, async () => {
    const sentAt = clock.mono();
    try {
      const answer = (await run.call("worker.heartbeat" satisfies WorkerMethod, {})) as { ttl_seconds: number }; // the answer of createWorkerMethods
      lease.accepted(sentAt, answer.ttl_seconds * 1000);
    } catch {
      /* ok to lose: a lost claim has stopped the run in `call`; for anything else the next activity tries again. */
    }
  });
}

function boardPort(run: WorkerRun, brief: WorkerBrief): BoardPort {
  return {
    task: brief.task.id,
    call: async (method, params) => {
      const result = (await run.call("worker.tool" satisfies WorkerMethod, {
        method,
        params,
        usage: run.usage,
      })) as Readonly<Record<string, unknown>>; // tools answer with objects
      if (method === "complete" || method === "block") {
        run.terminal = true;
        run.deps.onTerminal();
      }
      return result;
    },
  };
}

/** The store of checkpoints is the owner's: a worker asks it to keep a state before it changes something. */
function remoteTaker(
  call: (method: string, params: object) => Promise<unknown>,
  of: () => SessionRecord,
): CheckpointTaker {
  return {
    take: async ({ origin, ...input }) => {
      const { turn: own, round } = origin;
      return (await call("checkpoint.take", { ...input, session: of().id, turn: own, round })) as TakenCheckpoint; // the answer of `workerCheckpointMethods`
    },
    release: async (directory, own) => {
      await call("checkpoint.release", { session: of().id, turn: own, directory });
    },
    directoryOf: async (path, env, within) => projectDirectory(path, env, within),
  };
}

/** Activity is passed on as a heartbeat at most this often (board part, 7.5). */
const BEAT_EVERY: Ms = 60_000;

/** Call the result for every activity; it sends at most once a minute, and never two at once: with no owner there one waits, and that is enough. */
export function createWorkerHeartbeat(clock: Clock, send: () => Promise<void>): () => void {
  let next = clock.mono() + BEAT_EVERY;
  let sending = false;
  return () => {
    if (sending || clock.mono() < next) return;
    next = clock.mono() + BEAT_EVERY;
    sending = true;
    send()
      .catch(() => undefined) // `send` tells its failures itself
      .finally(() => {
        sending = false;
      });
  };
}
