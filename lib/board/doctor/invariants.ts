import type { Query } from "../../../storage/store.js";
import {
  type AuditEvent,
  auditTasks,
  doubleKeys,
  eventsFrom,
  failedReady,
  halfEnded,
  linksToFollow,
  looseLinks,
  lostTasks,
  missedLeaves,
  overtaken,
  stalePointers,
  unassignedChildren,
  wrongRuns,
} from "../../../storage/tables/board/audit.js";
import { promotable } from "../../../storage/tables/board/links.js";
import { getTask } from "../../../storage/tables/board/tasks.js";
import type { Check } from "../../contracts/check.js";
import { SYSTEM, toStamp } from "../core/core.js";
import { failureLimit } from "../core/judge.js";
import { updateTaskColumns } from "../core/states.js";
import { promoteAll } from "../tasks/upkeep.js";
import { findLinkCycles } from "./circles.js";
import { checkOf, type DoctorCheck, type Doctoring, REPORT, readBoardStore, repaired } from "./doctoring.js";
import { createHistory } from "./history.js";

/** Invariant 1: what was created is there, or was deleted by name. */
const tasks: DoctorCheck = async (of) => {
  const lost = await readBoardStore(of, (q) => lostTasks(q, of.after));
  return checkOf(
    { name: "tasks", ok: "all created tasks exist", as: "fail", fix: REPORT },
    lost.map((id) => `${id} is missing`),
  );
};

/** Invariants 2 and 4: a running task has one open run and names it; a run that ended says how. */
const runs: DoctorCheck = async (of) => {
  const stale = await readBoardStore(of, stalePointers);
  if (of.fix) await clearPointers(of);
  const wrong = await readBoardStore(of, wrongRuns);
  const half = await readBoardStore(of, halfEnded);
  const findings = [
    ...wrong.map((id) => `${id}: status and open run do not match`),
    ...half.map((id) => `run ${id} is only partly ended`),
    ...(of.fix ? [] : stale.map((id) => `${id} refers to an ended run`)),
  ];
  if (of.fix && stale.length > 0 && findings.length === 0)
    return repaired("runs", "references to ended runs removed", stale);
  const as = wrong.length + half.length > 0 ? "fail" : "warn";
  const fix = as === "fail" ? REPORT : "agent kanban doctor --fix removes the reference";
  return checkOf({ name: "runs", ok: "every running task has one open run", as, fix }, findings);
};

async function clearPointers({ core, store }: Doctoring): Promise<void> {
  const { at } = toStamp(core, SYSTEM);
  await store.write("board.clear-pointers", async (tx) => {
    for (const id of await stalePointers(tx)) {
      const task = await getTask(tx, id);
      if (task !== undefined) await updateTaskColumns(tx, task, at, { current_run_id: null });
    }
  });
}

/** Invariant 6: parents first, no circles. */
const dependencies: DoctorCheck = async (of) => {
  const { early, loose, links } = await readBoardStore(of, async (q) => ({
    early: await overtaken(q),
    loose: await looseLinks(q),
    links: await linksToFollow(q, of.deep),
  }));
  const circle = findLinkCycles(links);
  const findings = [
    ...early.map((id) => `${id} is ready or running before its parents have finished`),
    ...(circle.length === 0 ? [] : [`dependency cycle: ${circle.slice(0, 5).join(", ")}`]),
    ...(loose === 0 ? [] : [`${loose} link(s) to missing tasks`]),
  ];
  return checkOf(
    {
      name: "dependencies",
      ok: "no cycles; parents come first",
      as: "fail",
      fix: "agent kanban unlink removes a link",
    },
    findings,
  );
};

/** Invariant 6, the other half: a task that nothing holds is not left in todo. */
const promotion: DoctorCheck = async (of) => {
  const free = await readBoardStore(of, promotable);
  if (free.length === 0) return { name: "promotion", status: "ok", detail: "no task is stuck in todo" };
  if (!of.fix) {
    const fix = "agent kanban doctor --fix, or the next pass, promotes them";
    return checkOf(
      { name: "promotion", ok: "", as: "warn", fix },
      free.map((id) => `${id} can be promoted`),
    );
  }
  return repaired("promotion", "promoted", await promoteAll(of.core, of.board));
};

/** Invariants 7, 8 and 9: decompositions are whole, and events lead to what the tasks say. */
const history: DoctorCheck = async (of) => {
  const { trail, all, failed, loose } = await readBoardStore(of, async (q) => {
    const followed = createHistory();
    await eachEvent(q, of.after, (event) => followed.follow(event));
    return {
      trail: followed,
      all: await auditTasks(q, followed.named()),
      failed: await failedReady(q),
      loose: await looseGraphs(q),
    };
  });
  const { core } = of;
  const over = failed
    .filter((task) => task.consecutive_failures >= failureLimit(core.config, task).limit)
    .map((task) => `${task.id} is ready with ${task.consecutive_failures} failures; the limit was lowered since`);
  return [
    decompositions(trail.wrongGraphs(all), loose),
    checkOf({ name: "history", ok: historyOk(of), as: "fail", fix: REPORT }, trail.wrongMoves(all)),
    trail.wrongCounts(all).length > 0 || over.length === 0
      ? checkOf(
          { name: "failure counts", ok: "counters match the events", as: "fail", fix: REPORT },
          trail.wrongCounts(all),
        )
      : checkOf(
          {
            name: "failure counts",
            ok: "",
            as: "warn",
            fix: "agent kanban promote, unblock and reassign reset the counter",
          },
          over,
        ),
  ];
};

const historyOk = ({ after }: Doctoring): string =>
  after === 0
    ? "events match the status of every task"
    : `events after ${after} match the status of their tasks; --deep reads all`;

/** No task of a decomposition is left unassigned, and its root waits for every leaf. */
async function looseGraphs(q: Query): Promise<readonly string[]> {
  const nobody = await unassignedChildren(q);
  const early = await missedLeaves(q);
  return [
    ...nobody.map((id) => `${id} has no assignee`),
    ...early.map((id) => `${id} does not depend on all its children`),
  ];
}

function decompositions(broken: readonly string[], loose: readonly string[]): Check {
  const name = "decompositions";
  if (broken.length > 0) return checkOf({ name, ok: "", as: "fail", fix: REPORT }, broken);
  const fix = "agent kanban assign, agent kanban link";
  return checkOf(
    { name, ok: "intact; tasks are assigned, and roots depend on their children", as: "warn", fix },
    loose,
  );
}

const PAGE = 5000;

/** Hand over the events of a board above a cursor, in order, a page at a time. */
export async function eachEvent(q: Query, after: number, take: (event: AuditEvent) => void): Promise<void> {
  for (let seen = after; ; ) {
    const page = await eventsFrom(q, seen, PAGE);
    for (const event of page) take(event);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    seen = last.seq;
  }
}

/** Invariant 10. */
const keys: DoctorCheck = async (of) => {
  const twice = await readBoardStore(of, doubleKeys);
  return checkOf(
    { name: "keys", ok: "no duplicate keys", as: "fail", fix: "agent kanban archive one of each pair" },
    twice.map((key) => `${key} is used by two tasks`),
  );
};

/** Looks at the invariants of board part 23 that rows can show. */
export const INVARIANTS: readonly DoctorCheck[] = [tasks, runs, dependencies, promotion, history, keys];
