import type { WaitReason } from "../../contracts/board/explain.js";

import { toWaitReason, utc } from "./reasons-made.js";
import { dispatchReason, pausedReason } from "./reasons-ready.js";
import type { TriageFacts, WhyFacts } from "./why-facts.js";

/** Why a task stays in triage. */
export function triageReasons(facts: WhyFacts): readonly WaitReason[] {
  const { task, triage, outside, assigneeKnown } = facts;
  const byHand = `agent kanban specify ${task.id}, or agent kanban decompose ${task.id}`;
  const manual = (text: string) => [toWaitReason("triage_manual", text, { action: byHand })];
  if (!task.auto_decompose) {
    return [
      toWaitReason("triage_opted_out", "Automatic decomposition is disabled for it.", {
        action: `${byHand}, or agent kanban edit ${task.id} --auto`,
      }),
    ];
  }
  if (triage === undefined || !triage.auto) return manual("It waits in triage: automatic decomposition is off.");
  if (outside || (task.assignee !== null && !assigneeKnown)) {
    return manual(`It waits in triage: ${task.assignee ?? "its worker"} is not a profile.`);
  }
  if (triage.noClient !== undefined) {
    const action = `agent config set auxiliary.kanban_decomposer.provider NAME, then agent kanban decompose ${task.id}`;
    return [
      toWaitReason("triage_no_client", `It waits in triage, and no model can decompose it: ${triage.noClient}.`, {
        action,
      }),
    ];
  }
  if (task.decompose_attempts >= triage.maxAttempts) {
    const text = `Automatic decomposition failed ${task.decompose_attempts} times and is not retried.`;
    return [toWaitReason("triage_exhausted", text, { action: `edit its text, or ${byHand}` })];
  }
  return settling(facts, triage);
}

function settling(facts: WhyFacts, { settlesAt }: TriageFacts): readonly WaitReason[] {
  const { now, paused, dispatch } = facts;
  const later = settlesAt > now;
  const text = later
    ? `It is decomposed automatically after ${utc(settlesAt)}.`
    : "It is decomposed with the next automatic attempt.";
  return [
    toWaitReason("triage_settling", text, later ? { until: settlesAt } : {}),
    ...(paused === undefined ? [] : [pausedReason(facts)]),
    ...dispatchReason(dispatch),
  ];
}
