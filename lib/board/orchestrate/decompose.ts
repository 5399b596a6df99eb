import type { Actor } from "../../contracts/board/board.js";
import type { DecomposeOutcome, OrchestrateParams } from "../../contracts/board/orchestration.js";
import type { Core } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import { defaultAssignee, onRoster } from "../core/routing.js";
import {
  applied,
  type OrchestrateAnswer,
  type OrchestratedTask,
  type OrchestrateOperation,
  operate,
  type Planning,
  type SeenTask,
} from "./ask.js";
import { authorOf } from "./author.js";
import { writeGraph } from "./graph.js";
import { type DecomposePlan, planIn } from "./parse.js";
import { DECOMPOSE, planText } from "./prompts.js";
import { writeSpec } from "./specify.js";

/** An outcome with what its automatic accounting needs. */
export interface Attempt {
  readonly outcome: DecomposeOutcome;
  /** The task as the model saw it; undefined when no model was asked. */
  readonly seen: SeenTask | undefined;
}

const ANSWER_TOKENS = 4000;
const MOVED = "decomposition";

/** Let a model split a triage task into a graph of tasks, or say that one is enough (board part, 9.3). */
export async function decompose(
  planning: Planning,
  at: OrchestratedTask,
  params: OrchestrateParams,
  by: Actor,
): Promise<DecomposeOutcome> {
  return (await attempt(planning, at, { author: authorOf(params, by, "decomposer"), by, signal: params.signal }))
    .outcome;
}

/** One attempt, by hand or by itself. */
export function attempt(
  planning: Planning,
  at: OrchestratedTask,
  who: Pick<OrchestrateOperation<Attempt>, "author" | "by" | "automatic" | "signal">,
): Promise<Attempt> {
  const { core } = planning;
  const refuse = (reason: string, seen?: SeenTask): Attempt => ({ outcome: refusal(at.id, reason), seen });
  return operate<Attempt>(planning, at, {
    ...who,
    verb: "decompose",
    slot: "kanban_decomposer",
    question: async ({ task, comments }, port) => ({
      system: DECOMPOSE,
      user: planText({ ...task, comments }, await port.roster(), defaultAssignee(core)),
      temperature: 0.3,
      maxOutputTokens: ANSWER_TOKENS,
    }),
    refuse,
    apply: async (answered) => {
      const plan = planIn(answered.answer, core.config.get(KANBAN.autoDecomposeMaxChildren));
      const done = await applied(() => write(core, answered, plan));
      return "reason" in done ? refuse(done.reason, answered.seen) : { outcome: done.value, seen: answered.seen };
    },
  });
}

const refusal = (task_id: string, reason: string): DecomposeOutcome => ({
  task_id,
  ok: false,
  reason,
  new_title: null,
  fanout: false,
  child_ids: null,
});

async function write(core: Core, answered: OrchestrateAnswer, plan: DecomposePlan): Promise<DecomposeOutcome> {
  const { id } = answered.seen.task;
  if (plan.kind === "refused") return refusal(id, plan.reason);
  const done = { task_id: id, ok: true } as const;
  if (plan.kind === "single") {
    const assignee = onRoster(core, plan.assignee) ?? defaultAssignee(core);
    await writeSpec(answered, { ...plan.spec, assignee }, MOVED);
    return {
      ...done,
      reason: "single task (no fanout)",
      new_title: plan.spec.title ?? null,
      fanout: false,
      child_ids: null,
    };
  }
  const children = await writeGraph(core, answered, plan, MOVED);
  return {
    ...done,
    reason: `decomposed into ${children.length} children`,
    new_title: null,
    fanout: true,
    child_ids: children,
  };
}
