import type { Tx } from "../../../storage/store.js";
import type { TaskExtras, TaskRow } from "../../../storage/tables/board/rows.js";
import { setTexts } from "../../../storage/tables/board/tasks.js";
import { parseModelJson } from "../../base/json/model-json.js";
import type { Actor } from "../../contracts/board/board.js";
import type { OrchestrateParams, SpecifyOutcome } from "../../contracts/board/orchestration.js";
import type { Stamp } from "../core/core.js";
import { changeStatus } from "../core/states.js";
import { storeComment } from "../tasks/block-schedule.js";
import { promoteIfFree } from "../tasks/promotion.js";
import { applied, type OrchestrateAnswer, type OrchestratedTask, operate, type Planning, unchanged } from "./ask.js";
import { authorOf } from "./author.js";
import { fitBody } from "./fit.js";
import { NEITHER, type Spec, specIn } from "./parse.js";
import { SPECIFY, taskText } from "./prompts.js";

const DEFAULT_TOKENS = 6000;
const LEAST_TOKENS = 1500;

/** Let a model write the specification of a triage task (board part, 9.2). */
export function specify(
  planning: Planning,
  at: OrchestratedTask,
  params: OrchestrateParams,
  by: Actor,
): Promise<SpecifyOutcome> {
  const refuse = (reason: string): SpecifyOutcome => ({ task_id: at.id, ok: false, reason, new_title: null });
  return operate(planning, at, {
    verb: "specify",
    slot: "triage_specifier",
    author: authorOf(params, by, "specifier"),
    by,
    signal: params.signal,
    question: async ({ task, comments }) => ({
      system: SPECIFY,
      user: taskText({ ...task, comments }),
      temperature: 0.3,
      maxOutputTokens: answerTokens(planning.core.env["AGENT_KANBAN_SPECIFY_MAX_TOKENS"]),
    }),
    refuse,
    apply: async (answered) => {
      const spec = specOf(answered.answer, answered.seen.task);
      if (spec === undefined) return refuse(NEITHER);
      const done = await applied(() => writeSpec(answered, spec, "promotion"));
      return "reason" in done
        ? refuse(done.reason)
        : { task_id: at.id, ok: true, reason: "specified", new_title: spec.title ?? null };
    },
  });
}

/** Answer budget of the specifier; anything but a number has no effect. */
function answerTokens(given: string | undefined): number {
  const wanted = given === undefined || !/^\d+$/.test(given.trim()) ? DEFAULT_TOKENS : Number(given);
  return Math.max(LEAST_TOKENS, Number.isSafeInteger(wanted) ? wanted : DEFAULT_TOKENS);
}

/** The specification in an answer: the object asked for, else the whole text as the body, so that the task does not stay stuck. */
function specOf(answer: string, task: TaskExtras): Spec | undefined {
  const members = parseModelJson(answer);
  if (members === undefined)
    return { body: fitBody(task.body?.trim() ? `${answer}\n\n## Original request\n\n${task.body}` : answer) };
  const spec = specIn(members);
  return spec.title === undefined && spec.body === undefined ? undefined : spec;
}

/** What replaces the texts of a task, and who gets it when it is unassigned. */
export interface SpecifiedTask extends Spec {
  readonly assignee?: string;
}

/** Write a specification: texts, comment, event, status and promotion in one transaction. @throws Refusal */
export async function writeSpec(
  { store, seen, stamp }: OrchestrateAnswer,
  spec: SpecifiedTask,
  before: string,
): Promise<void> {
  await store.write("board.specify", async (tx) => applySpec(tx, await unchanged(tx, seen, before), spec, stamp));
}

async function applySpec(tx: Tx, task: TaskRow & TaskExtras, spec: SpecifiedTask, stamp: Stamp): Promise<void> {
  const assignee = task.assignee === null ? spec.assignee : undefined;
  const fields = [
    ...(spec.title !== undefined && spec.title !== task.title ? ["title"] : []),
    ...(spec.body !== undefined && spec.body !== task.body ? ["body"] : []),
    ...(assignee === undefined ? [] : ["assignee"]),
  ];
  if (spec.body !== undefined) await setTexts(tx, task.id, { body: spec.body });
  const updated = fields.length === 0 ? "nothing" : fields.join(", ");
  await storeComment(tx, task.id, `Specified — updated ${updated} and promoted to todo.`, {
    ...stamp,
    actor: "system",
  });
  await changeStatus(tx, task, "specify", {
    ...stamp,
    patch: {
      ...(spec.title === undefined ? {} : { title: spec.title }),
      ...(assignee === undefined ? {} : { assignee }),
      decompose_attempts: 0,
      decompose_next_at: null,
    },
    payload: { changed_fields: fields, previous: { title: task.title, body: task.body } },
  });
  if (task.hold === 0) await promoteIfFree(tx, task.id, stamp);
}
