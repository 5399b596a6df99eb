import { runCleanupsTogether } from "../../base/async/cleanup.js";
import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { ChildrenApi } from "../../contracts/chat/children.js";
import type { HookFields } from "../../contracts/hooks/hooks.js";
import { headText } from "../../safety/redact/text.js";
import { DELEGATION } from "../../tools/core/delegate-keys.js";
import type { ChildResult, ChildrenPort, ChildTask, DelegateCall } from "../../tools/core/delegate-port.js";
import { limitChildRole, refuseToolsets } from "./allowed.js";
import { createChildSession, createStop, type Stop, workChild } from "./child.js";
import { listChildren } from "./list.js";
import { outcomeOf } from "./outcome.js";
import { closeChild, type ShownChild, watchChild } from "./shown.js";
import type { ChildJob, ChildrenDeps, Parent } from "./types.js";

const GOAL_CHARS = 2_000;

const SUMMARY_CHARS = 20_000;

/** The message that tells a conversation of the end of a child that worked in its background (core part, 25.2). */
function renderChildNotice(id: SessionId, { goal, context }: ChildTask, result: ChildResult): string {
  const files = result.files_changed.length === 0 ? [] : [`Files changed: ${result.files_changed.join(", ")}`];
  return [
    `[Background task ${id} ended: ${result.status}${result.error === undefined ? "" : ` (${result.error})`}.`,
    `Task: ${headText(goal, GOAL_CHARS)}`,
    ...(context === undefined ? [] : [`Context: ${headText(context, GOAL_CHARS)}`]),
    ...files,
    `Result: ${result.summary === "" ? "none" : headText(result.summary, SUMMARY_CHARS)}]`,
  ].join("\n");
}

/** The children of all conversations of this owner. */
export interface Children extends ChildrenApi {
  /** What one conversation sends its children with. */
  portFor(parent: Parent): ChildrenPort;
  /** Children that work beside their parents. */
  inBackground(): number;
  /** Stop all of them and wait for their ends. */
  stop(): Promise<void>;
}

/** A child at work. */
export interface Running {
  readonly shown: ShownChild;
  readonly stop: Stop;
  readonly result: Promise<ChildResult>;
}

/** Front ends whose conversations go on after a turn: a result that comes later finds a reader. */
const LASTING: ReadonlySet<string> = new Set(["workspace", "inline", "acp"]);

export function createChildren(deps: ChildrenDeps): Children {
  const running = new Map<SessionId, Running>();
  const portFor = (parent: Parent): ChildrenPort => createPort(deps, parent, { running, below: portFor });
  return {
    portFor,
    children: (parent) =>
      listChildren(
        deps.stores,
        [...running.values()].map((one) => one.shown.info()),
        parent,
      ),
    interruptChild: async (id) => {
      running.get(id)?.stop.now("user");
      return running.has(id);
    },
    inBackground: () => [...running.values()].filter((one) => one.shown.info().background).length,
    stop: async () => {
      const left = [...running.values()];
      for (const one of left) one.stop.now("parent");
      await runCleanupsTogether(left.map((one) => () => one.result));
    },
  };
}

interface Shared {
  readonly running: Map<SessionId, Running>;
  below(parent: Parent): ChildrenPort;
}

/** Counts of one conversation's children. */
interface Counts {
  waitedFor: number;
  background: number;
}

function createPort(deps: ChildrenDeps, parent: Parent, shared: Shared): ChildrenPort {
  const counts: Counts = { waitedFor: 0, background: 0 };
  const { config } = deps;
  const check = (tasks: readonly ChildTask[], call: DelegateCall) => {
    const { id: session, profile } = parent.transcript.session;
    const entries = deps.tools.entries({ session, profile });
    for (const task of tasks) refuseToolsets(task, call, entries);
    return tasks.map((task) => limitChildRole(task, parent.level, config));
  };
  return {
    dispatches: deps.notice !== undefined && LASTING.has(parent.options.source),
    run: async (given, call) => {
      refuseMany(given.length, counts.waitedFor, config.get(DELEGATION.concurrent));
      const tasks = check(given, call);
      counts.waitedFor += tasks.length;
      try {
        const jobs = tasks.map((task, index): ChildJob => ({ task, call, index, background: false }));
        return await Promise.all(jobs.map(async (job) => resultOf(await start(deps, parent, job, shared), job)));
      } finally {
        counts.waitedFor -= tasks.length;
      }
    },
    dispatch: async (given, call) => {
      const most = config.get(DELEGATION.background);
      if (counts.background >= most)
        throw new AppError(
          "E_INVALID",
          `${counts.background} background children are running (delegation.max_async_children is ${most})`,
        );
      const [task = given] = check([given], call);
      counts.background += 1;
      const started = await start(deps, parent, { task, call, index: 0, background: true }, shared);
      if ("error" in started) {
        counts.background -= 1;
        throw started.error;
      }
      tellWhenDone(deps, parent, started, { task, counts });
      return started.shown.info().id;
    },
  };
}

function refuseMany(wanted: number, atWork: number, most: number): void {
  if (wanted + atWork <= most) return;
  const busy = atWork === 0 ? "" : `, ${atWork} running`;
  throw new AppError(
    "E_INVALID",
    `${wanted} children are too many: delegation.max_concurrent_children is ${most}${busy}. Send fewer at a time`,
  );
}

type Started = Running | { readonly error: unknown };

const resultOf = (started: Started, { index }: ChildJob): ChildResult | Promise<ChildResult> =>
  "error" in started
    ? outcomeOf({ index, session: undefined, messages: [], durationMs: 0, stoppedBy: undefined, how: started })
    : started.result;

/** A child that has begun, or why it could not. */
async function start(deps: ChildrenDeps, parent: Parent, job: ChildJob, { running, below }: Shared): Promise<Started> {
  const stop = createStop();
  const { signal } = job.call;
  const follow = () => stop.now("parent");
  if (!job.background) {
    if (signal.aborted) follow();
    signal.addEventListener("abort", follow, { once: true });
  }
  try {
    const child = await createChildSession(deps, parent, job, below);
    const shown = await watchChild(deps, parent, child, job);
    const { id } = child.session;
    const fields = hookFields(parent, id, job);
    deps.hooks?.tell("subagent_start", fields);
    const result = workChild(deps, child, job, stop)
      .then(async (ended) => {
        const { status, summary, duration_seconds } = ended;
        deps.hooks?.tell("subagent_stop", { ...fields, status, summary, duration_ms: duration_seconds * 1_000 });
        await closeChild(deps, parent, child, { job, shown, ended });
        return ended;
      })
      .finally(() => {
        running.delete(id);
        signal.removeEventListener("abort", follow);
      });
    const entry = { shown, stop, result };
    running.set(id, entry);
    return entry;
  } catch (error) {
    signal.removeEventListener("abort", follow);
    deps.log.warning("failed to start a child", { session: parent.transcript.session.id, error: String(error) });
    return { error };
  }
}

const hookFields = ({ transcript }: Parent, child: SessionId, { task }: ChildJob): HookFields["subagent_start"] => ({
  parent_session_id: transcript.session.id,
  child_session_id: child,
  role: task.role ?? "worker",
  goal: task.goal,
});

interface Dispatched {
  readonly task: ChildTask;
  readonly counts: Counts;
}

/** The result of a background child becomes a message of its parent's conversation. */
function tellWhenDone(
  deps: ChildrenDeps,
  parent: Parent,
  { shown, result }: Running,
  { task, counts }: Dispatched,
): void {
  const told = async () => {
    const ended = await result.finally(() => {
      counts.background -= 1;
    });
    const { id } = shown.info();
    await deps.notice?.(parent.transcript.session.id, { text: renderChildNotice(id, task, ended), by: `child ${id}` });
  };
  told().catch((error: unknown) =>
    deps.log.error("failed to report the end of a background child", { error: String(error) }),
  );
}
