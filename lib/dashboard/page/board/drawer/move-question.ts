import type { Task } from "../../../../proto/board.js";
import type { Answers, Field, Question } from "../../state/dialogs.js";
import { localTime, parseLocalTime } from "../../words/time.js";
import type { Move, Need } from "./moves.js";

const SUMMARY: readonly Field[] = [
  { name: "summary", label: "Summary", kind: "text", hint: "What was done. The tasks that wait for it are told." },
  { name: "result", label: "Result", kind: "line", hint: "In one line." },
];

/** What has to be asked before a task is sent on; undefined: nothing. */
export function questionFor({ id, status, scheduled_at }: Pick<Task, "id" | "status" | "scheduled_at">, move: Move): Question | undefined {
  if (move.needs.length === 0) return undefined;
  const fields: Readonly<Record<Need, readonly Field[]>> = {
    sure: [],
    summary: SUMMARY,
    reason: [{ name: "reason", label: "Reason", kind: "text" }],
    time: [
      {
        ...{ name: "time", label: "Not before", kind: "time", hint: "Empty: until somebody makes it ready." },
        ...(scheduled_at === null ? {} : { value: localTime(scheduled_at) }),
      },
    ],
  };
  return {
    title: `${move.label}: ${id}`,
    ...(status === "running" && { text: "Its worker is stopped." }),
    fields: move.needs.flatMap((need) => fields[need]),
    confirm: move.label,
    danger: move.danger === true,
  };
}

/** The fields of a status write by the answers. */
export function changeFor({ to }: Move, { reason = "", time = "", summary = "", result = "" }: Answers): Readonly<Record<string, unknown>> {
  const given = (name: string, value: string) => (value.trim() === "" ? {} : { [name]: value.trim() });
  const at = parseLocalTime(time);
  return {
    ...given("block_reason", reason),
    ...given("summary", summary),
    ...given("result", result),
    ...(to === "scheduled" && at !== undefined ? { scheduled_at: at } : {}),
  };
}
