import type { CaseEvent } from "../../../storage/tables/board/cases.js";
import { action, hint, type TaskRule } from "./cases.js";

const listIn = (events: readonly CaseEvent[], key: string): readonly string[] => [
  ...new Set(
    events.flatMap((event) => {
      const value: unknown = (JSON.parse(event.payload) as Record<string, unknown>)[key]; // written as a JSON object
      return Array.isArray(value) ? value.map(String) : [];
    }),
  ),
];

/** A worker named tasks that it did not create, and has not completed well since. */
export const hallucinatedCards: TaskRule = ({ task, events }) => {
  const refused = events.filter((event) => event.kind === "completion_blocked_hallucination");
  const [first] = refused;
  if (first === undefined || task.status === "archived") return undefined;
  const ids = listIn(refused, "phantom_cards");
  return {
    severity: "error",
    title: `Its worker claims to have created tasks that it did not: ${ids.slice(0, 5).join(", ")}`,
    detail: "The completion was rejected and nothing was changed.",
    actions: [
      action("comment", "Comment for the worker", { task_id: task.id }, true),
      action("reclaim", "Start another worker", { task_id: task.id }),
      hint(`agent kanban show ${task.id}`),
    ],
    first: first.at,
    last: refused.at(-1)?.at ?? first.at,
    count: refused.length,
    data: { phantom_cards: ids },
  };
};

/** The newest summary names ids that do not exist. */
export const phantomRefs: TaskRule = ({ task, events }) => {
  const suspected = events.filter((event) => event.kind === "phantom_refs_suspected");
  const [first] = suspected;
  if (first === undefined || task.status === "archived") return undefined;
  const ids = listIn(suspected, "ids");
  return {
    severity: "warning",
    title: `Its summary names tasks that do not exist: ${ids.slice(0, 5).join(", ")}`,
    detail: "Its statements about them may be wrong.",
    actions: [hint(`agent kanban show ${task.id}`, true), hint(`agent kanban reopen ${task.id}`)],
    first: first.at,
    last: suspected.at(-1)?.at ?? first.at,
    count: suspected.length,
    data: { ids },
  };
};
