import { parseModelJson, readTextMember } from "../../base/json/model-json.js";
import { isRecord } from "../../base/json/record.js";
import { fitBody, fitTitle } from "./fit.js";

/** A text for a task: what the model gave, brought into the bounds of the board. */
export interface Spec {
  readonly title?: string;
  readonly body?: string;
}

/** One task of a graph. `parents` are places in the list, each once, none its own. */
export interface PlannedTask {
  readonly title: string;
  readonly body: string | null;
  /** As the model wrote it; empty when it did not name one. */
  readonly assignee: string;
  readonly parents: readonly number[];
}

/** How an answer of the decomposer reads. */
export type DecomposePlan =
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "single"; readonly spec: Spec; readonly assignee: string }
  | { readonly kind: "graph"; readonly rationale: string; readonly tasks: readonly PlannedTask[] };

type Members = Readonly<Record<string, unknown>>;

/** Title and body of an object, each when it is there. */
export function specIn(members: Members): Spec {
  const title = fitTitle(readTextMember(members, "title"));
  const body = fitBody(readTextMember(members, "body"));
  return { ...(title === "" ? {} : { title }), ...(body === "" ? {} : { body }) };
}

const MALFORMED = "LLM returned malformed JSON";
export const NEITHER = "LLM response missing title and body";

/** Read the answer of the decomposer (board part, 9.3). Pure; every answer has a reading. */
export function planIn(answer: string, maxTasks: number): DecomposePlan {
  const members = parseModelJson(answer);
  if (members === undefined) return refused(MALFORMED);
  if (fansOut(members)) return graphIn(members, maxTasks);
  const spec = specIn(members);
  if (spec.title === undefined && spec.body === undefined) return refused(NEITHER);
  return { kind: "single", spec, assignee: readTextMember(members, "assignee") };
}

const refused = (reason: string): DecomposePlan => ({ kind: "refused", reason });

/** A model that forgets the word but lists tasks means them. */
function fansOut(members: Members): boolean {
  const said = members["fanout"];
  if (typeof said === "string") return said.trim().toLowerCase() === "true";
  return said === undefined || said === null ? Array.isArray(members["tasks"]) : said === true;
}

function graphIn(members: Members, maxTasks: number): DecomposePlan {
  const given: unknown = members["tasks"];
  if (!Array.isArray(given) || given.length === 0) return refused("graph rejected: no tasks");
  if (given.length > maxTasks) return refused(`graph rejected: ${given.length} tasks, at most ${maxTasks}`);
  const tasks: PlannedTask[] = [];
  for (const [place, entry] of given.entries()) {
    if (!isRecord(entry)) return refused(`graph rejected: task ${place} is not an object`);
    const { title, body = null } = specIn(entry);
    if (title === undefined) return refused(`graph rejected: task ${place} has no title`);
    tasks.push({
      title,
      body,
      assignee: readTextMember(entry, "assignee"),
      parents: parentsIn(entry["parents"], place, given.length),
    });
  }
  const circle = circleIn(tasks);
  if (circle !== undefined) return refused(`graph rejected: cyclic dependency ${circle.join(" -> ")}`);
  return { kind: "graph", rationale: fitBody(readTextMember(members, "rationale"), 4_000), tasks };
}

/** A place that is none is dropped: one wrong number does not spoil a graph. */
function parentsIn(value: unknown, own: number, count: number): readonly number[] {
  if (!Array.isArray(value)) return [];
  const places = value.filter(
    (place): place is number => Number.isInteger(place) && place >= 0 && place < count && place !== own,
  );
  return [...new Set(places)].sort((a, b) => a - b);
}

/** Places of a circle in the direction parent -> child, the smallest at both ends; undefined without a circle. */
export function circleIn(tasks: readonly Pick<PlannedTask, "parents">[]): readonly number[] | undefined {
  const free = new Set<number>();
  for (let before = -1; before !== free.size; ) {
    before = free.size;
    for (const [place, task] of tasks.entries()) if (task.parents.every((parent) => free.has(parent))) free.add(place);
  }
  const stuck = tasks.findIndex((_task, place) => !free.has(place));
  return stuck < 0 ? undefined : turned(upward(tasks, free, stuck));
}

/** Each task that is not free has a parent that is not: going up must come round. */
function upward(
  tasks: readonly Pick<PlannedTask, "parents">[],
  free: ReadonlySet<number>,
  from: number,
): readonly number[] {
  const path: number[] = [];
  let at = from;
  while (!path.includes(at)) {
    path.push(at);
    at = tasks[at]?.parents.find((parent) => !free.has(parent)) ?? at;
  }
  return path.slice(path.indexOf(at)).reverse();
}

function turned(circle: readonly number[]): readonly number[] {
  const first = circle.indexOf(Math.min(...circle));
  const round = [...circle.slice(first), ...circle.slice(0, first)];
  return [...round, ...round.slice(0, 1)];
}
