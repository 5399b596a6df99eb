import type { Task } from "../../contracts/board/board.js";
import { REASON_CODES, type WaitReason } from "../../contracts/board/explain.js";
import { blockedReason } from "./reasons-blocked.js";
import { type Extras, noWorkerProgram, toWaitReason, utc } from "./reasons-made.js";
import { readyReasons } from "./reasons-ready.js";
import { triageReasons } from "./reasons-triage.js";
import type { Holding, WhyFacts } from "./why-facts.js";

/** Why a task does not move, worst first. Pure. */
export function reasonsOf(facts: WhyFacts): readonly WaitReason[] {
  const reasons = [...ofStatus(facts), ...archivedParents(facts), ...modelReasons(facts)];
  const rank = (one: WaitReason) => REASON_CODES.indexOf(one.code);
  return reasons.toSorted((a, b) => rank(a) - rank(b));
}

function ofStatus(facts: WhyFacts): readonly WaitReason[] {
  const { task } = facts;
  switch (task.status) {
    case "triage":
      return triageReasons(facts);
    case "todo":
      return todoReasons(facts);
    case "ready":
      return readyReasons(facts);
    case "running":
      return runningReasons(facts);
    case "blocked":
      return [blockedReason(facts)];
    case "scheduled":
      return scheduledReasons(facts);
    case "done":
      return [doneReason(task)];
    case "archived":
      return [toWaitReason("archived", "It is archived.", { action: `agent kanban unarchive ${task.id} restores it` })];
  }
}

function todoReasons(facts: WhyFacts): readonly WaitReason[] {
  const { task } = facts;
  const held = toWaitReason("held", "It is held and does not become ready automatically.", {
    action: `agent kanban promote ${task.id}`,
  });
  const forgotten = facts.parents.length === 0 && !task.hold;
  return [
    ...parentReasons(facts),
    ...(task.hold ? [held] : []),
    ...unknownAssignee(facts),
    ...missingProgram(facts),
    ...(forgotten
      ? [
          toWaitReason("ready_now", "The next dispatcher pass makes it ready.", {
            action: "agent kanban dispatch",
          }),
        ]
      : []),
  ];
}

function parentReasons({ parents }: WhyFacts): readonly WaitReason[] {
  return parents.map((parent) => {
    const ids = [parent.id];
    if (parent.status === "blocked") {
      return toWaitReason("parent_blocked", `Its parent ${parent.id} is blocked.`, {
        ids,
        action: `agent kanban why ${parent.id}`,
      });
    }
    if (parent.status === "done") {
      const action = `agent kanban reopen ${parent.id}, or agent kanban edit ${parent.id} --outcome accepted`;
      return toWaitReason("parent_rejected", `Its parent ${parent.id} is done, but was rejected.`, { ids, action });
    }
    const moves = parent.status === "ready" || parent.status === "running";
    const extras: Extras = moves ? { ids } : { ids, action: `agent kanban why ${parent.id}` };
    return withRoots(
      toWaitReason("parent_open", `It waits for its parent ${parent.id} (${parent.status}).`, extras),
      parent,
    );
  });
}

/** Most roots that are named. */
const ROOTS_NAMED = 3;

/** A parent that waits itself: name what everything above it waits for, what a person has to see to first. */
function withRoots(open: WaitReason, { id, roots = [] }: Holding): WaitReason {
  const ranked = roots.toSorted((a, b) => Number(needsPerson(b)) - Number(needsPerson(a)));
  const [worst] = ranked;
  if (worst === undefined) return open;
  const named = ranked
    .slice(0, ROOTS_NAMED)
    .map((root) => `${root.id} (${root.verdict === "rejected" ? "rejected" : root.status})`);
  const more = roots.length > named.length ? ` and ${roots.length - named.length} more` : "";
  const text = `${open.text.replace(/\.$/, "")}, which ultimately waits for ${named.join(", ")}${more}.`;
  const { action: _, ...rest } = open;
  const action = needsPerson(worst) ? { action: `agent kanban why ${worst.id}` } : {};
  return { ...rest, text, ids: [id, ...ranked.map((root) => root.id)], ...action };
}

const needsPerson = ({ status, verdict }: Holding): boolean =>
  status === "blocked" || status === "triage" || verdict === "rejected";

function unknownAssignee({ task, outside, assigneeKnown }: WhyFacts): readonly WaitReason[] {
  if (outside || assigneeKnown || task.assignee === null) return [];
  const action = `agent kanban assign ${task.id} default, or agent kanban edit ${task.id} --external`;
  return [
    toWaitReason("unknown_assignee", `Its assignee ${task.assignee} is not a profile, so no worker can start.`, {
      action,
    }),
  ];
}

const missingProgram = ({ task, workerProblem }: WhyFacts): readonly WaitReason[] =>
  workerProblem === undefined || task.assignee === null ? [] : [noWorkerProgram(task.assignee, workerProblem)];

function scheduledReasons(facts: WhyFacts): readonly WaitReason[] {
  const { task } = facts;
  const free = `agent kanban unblock ${task.id}`;
  const main =
    task.scheduled_at === null
      ? toWaitReason("scheduled_open_end", "It is scheduled without a time.", { action: free })
      : toWaitReason("scheduled_until", `It waits until ${utc(task.scheduled_at)}.`, { until: task.scheduled_at });
  return [main, ...parentReasons(facts)];
}

function runningReasons({ run, stuck, now, workerGone }: WhyFacts): readonly WaitReason[] {
  if (run === undefined) return [toWaitReason("running", "It is running.")];
  if (workerGone) {
    const text = `The worker of ${run.profile} has exited without a report; the next dispatcher pass settles its run.`;
    return [toWaitReason("running", text, { action: "agent kanban dispatch" })];
  }
  const pid = run.worker_pid === null ? "" : ` (pid ${run.worker_pid})`;
  const lease = run.claim_expires === null ? "" : `; its lease ends ${utc(run.claim_expires)}`;
  const beat = `last heartbeat ${Math.max(0, now - run.last_heartbeat_at)}s ago`;
  const text = `${run.profile} is running${pid} since ${utc(run.started_at)}, ${beat}${lease}.`;
  const works = toWaitReason("running", text, run.claim_expires === null ? {} : { until: run.claim_expires });
  if (!stuck) return [works];
  const advice = `kill process ${run.worker_pid ?? "of the worker"} manually`;
  return [
    toWaitReason("stuck", `Its worker${pid} cannot be stopped; no other worker is started while it is alive.`, {
      action: advice,
    }),
    works,
  ];
}

function doneReason(task: Task): WaitReason {
  if (task.verdict !== "rejected") return toWaitReason("done", "Done.");
  return toWaitReason("done", "Done, but rejected: its children keep waiting.", {
    action: `agent kanban reopen ${task.id}`,
  });
}

function modelReasons({ task, lacksModel }: WhyFacts): readonly WaitReason[] {
  if (!lacksModel || task.status === "done" || task.status === "archived") return [];
  const text = `Its assignee ${task.assignee} is a profile without a model; the worker may use the offline assistant.`;
  return [toWaitReason("no_model", text, { action: `agent -p ${task.assignee} setup` })];
}

function archivedParents({ task, archivedParents: ids }: WhyFacts): readonly WaitReason[] {
  if (ids.length === 0 || task.status === "done" || task.status === "archived") return [];
  const [who, verb] = ids.length === 1 ? ["parent", "was"] : ["parents", "were"];
  return [
    toWaitReason(
      "parent_archived",
      `Its ${who} ${ids.join(", ")} ${verb} archived and no longer ${ids.length === 1 ? "delays" : "delay"} it.`,
      { ids },
    ),
  ];
}
