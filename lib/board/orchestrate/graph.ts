import type { Tx } from "../../../storage/store.js";
import { addLink, parentCount, unsettledParents } from "../../../storage/tables/board/links.js";
import type { TaskExtras, TaskRow } from "../../../storage/tables/board/rows.js";
import { inheritSubscriptions } from "../../../storage/tables/board/subscriptions.js";
import { AppError, assert } from "../../base/errors.js";
import { type TaskId, toUnix } from "../../base/units.js";
import { appendTaskEvent, type Core, type Stamp } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import { defaultAssignee, onRoster, orchestrator } from "../core/routing.js";
import { changeStatus } from "../core/states.js";
import { storeComment } from "../tasks/block-schedule.js";
import { promoteIfFree } from "../tasks/promotion.js";
import { type OrchestrateAnswer, Refusal, unchanged } from "./ask.js";
import { drawIds, insertLinkedTask, isAnyIdTaken } from "./bear.js";
import type { DecomposePlan, PlannedTask } from "./parse.js";

type Graph = Extract<DecomposePlan, { kind: "graph" }>;
type Root = TaskRow & TaskExtras;

/** Draws of ids before giving up; with 2^32 of them a second collision in a row does not happen. */
const DRAWS = 5;
const MAX_PARENTS = 100;

/** A planned task with everything that is decided before the transaction. */
interface Child extends PlannedTask {
  readonly id: TaskId;
  readonly who: string;
}

interface Making {
  readonly children: readonly Child[];
  readonly orchestrator: string;
  readonly rationale: string;
  /** Children wait for a person to let them go. */
  readonly held: boolean;
  readonly scratch: string;
  readonly stamp: Stamp;
}

/** Write a decomposition: all of it in one transaction, or nothing (board part, 9.3). @returns ids of the children @throws Refusal */
export async function writeGraph(
  core: Core,
  answered: OrchestrateAnswer,
  plan: Graph,
  before: string,
): Promise<readonly TaskId[]> {
  const { board, store, seen, stamp } = answered;
  for (let draw = 0; draw < DRAWS; draw++) {
    const ids = drawIds(core, plan.tasks.length);
    const making: Making = {
      children: plan.tasks.map((task, place) => ({
        ...task,
        id: at(ids, place),
        who: onRoster(core, task.assignee) ?? defaultAssignee(core),
      })),
      orchestrator: orchestrator(core),
      rationale: plan.rationale,
      held: !core.config.get(KANBAN.autoPromoteChildren),
      scratch: core.places(board).scratch(seen.task.id),
      stamp,
    };
    const made = await store.write("board.decompose", async (tx) => {
      const root = await unchanged(tx, seen, before);
      if (await isAnyIdTaken(tx, ids)) return false;
      await make(tx, root, making);
      return true;
    });
    if (made) return ids;
  }
  throw new AppError("E_CONFLICT", "no free task id; repeat the command");
}

async function make(tx: Tx, root: Root, making: Making): Promise<void> {
  const { children, stamp } = making;
  const outer = (await unsettledParents(tx, root.id)).map((parent) => parent.id);
  const used = new Set(children.flatMap((child) => child.parents));
  const leaves = children.filter((_child, place) => !used.has(place));
  if ((await parentCount(tx, root.id)) + leaves.length > MAX_PARENTS) {
    throw new Refusal(`graph rejected: ${root.id} would have more than ${MAX_PARENTS} parents`);
  }
  await moveRoot(tx, root, making);
  for (const child of inOrder(children)) await makeChild(tx, root, child, { ...making, outer });
  for (const leaf of leaves) {
    await addLink(tx, leaf.id, root.id);
    appendTaskEvent(tx, stamp, { kind: "linked", task: root.id }, { parent: leaf.id, child: root.id });
  }
  await inheritSubscriptions(
    tx,
    root.id,
    children.map((child) => child.id),
    toUnix(stamp.at),
  );
  if (making.held) return;
  for (const child of children) await promoteIfFree(tx, child.id, stamp);
}

async function moveRoot(tx: Tx, root: Root, making: Making): Promise<void> {
  const { children, stamp } = making;
  await storeComment(tx, root.id, auditText(root, making), { ...stamp, actor: "system" });
  await changeStatus(tx, root, "decompose", {
    ...stamp,
    // The orchestrator works on the root, so it is no longer left to something outside, and its own hold would keep it for ever.
    patch: { assignee: making.orchestrator, external: 0, hold: 0, decompose_attempts: 0, decompose_next_at: null },
    payload: {
      child_ids: children.map((child) => child.id),
      root_assignee: making.orchestrator,
      previous_assignee: root.assignee,
    },
  });
}

/** Parents first: a link is written with its child. */
function inOrder(children: readonly Child[]): readonly Child[] {
  const done = new Set<number>();
  const order: Child[] = [];
  while (order.length < children.length) {
    const next = children.findIndex(
      (child, place) => !done.has(place) && child.parents.every((parent) => done.has(parent)),
    );
    assert(next >= 0, "a graph with a circle was refused before");
    done.add(next);
    order.push(at(children, next));
  }
  return order;
}

async function makeChild(
  tx: Tx,
  root: Root,
  child: Child,
  making: Making & { readonly outer: readonly TaskId[] },
): Promise<void> {
  const { children, stamp, held } = making;
  const inner = child.parents.map((place) => at(children, place).id);
  await insertLinkedTask(
    tx,
    {
      id: child.id,
      columns: {
        ...inherited(root, inner.length === 0, making.scratch),
        title: child.title,
        assignee: child.who,
        created_by: stamp.name,
        hold: held ? 1 : 0,
      },
      body: child.body,
      parents: inner.length === 0 ? making.outer : inner,
      more: { by: stamp.name, from_decompose_of: root.id },
      waits: true,
      tellLinks: true,
    },
    stamp,
  );
}

/** What a child takes over from its root. `first`: it has no parent inside the graph, so its worktree begins where the root's would have. */
function inherited(root: Root, first: boolean, scratch: string): Partial<TaskRow> {
  const worktree = root.workspace_kind === "worktree";
  // A directory that the board made for the root alone is not shared.
  const own = worktree || root.workspace_path === scratch;
  return {
    tenant: root.tenant,
    workspace_kind: root.workspace_kind,
    workspace_path: own ? null : root.workspace_path,
    repo_path: root.repo_path,
    base_name: worktree && first ? root.base_name : null,
    priority: root.priority,
    max_runtime_seconds: root.max_runtime_seconds,
    max_retries: root.max_retries,
    model_override: root.model_override,
    decomposed_from: root.id,
  };
}

function auditText(root: Root, { children, rationale, orchestrator: boss }: Making): string {
  const lines = children.map((child) => {
    const after = child.parents.map((place) => at(children, place).id);
    return `- ${child.id} ${child.title} (@${child.who}${after.length === 0 ? "" : `, after ${after.join(", ")}`})`;
  });
  return [
    `Decomposed into ${children.length} ${children.length === 1 ? "task" : "tasks"}:`,
    ...lines,
    "",
    `Rationale: ${rationale === "" ? "(none given)" : rationale}`,
    `@${boss} takes it up when they are settled; it was assigned to ${root.assignee === null ? "nobody" : `@${root.assignee}`} before.`,
  ].join("\n");
}

function at<T>(list: readonly T[], place: number): T {
  const item = list[place];
  assert(item !== undefined, "places were checked against the length of the list");
  return item;
}
