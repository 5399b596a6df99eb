import type { Status } from "../../../../contracts/board/board.js";
import type { Answers, Field } from "../../state/dialogs.js";
import { parseLocalTime, toLocalFieldTime } from "../../words/time.js";

const SUMMARY: Field = {
  name: "summary",
  label: "Summary",
  kind: "text",
  hint: "The result. Waiting tasks receive it.",
};
const RESULT: Field = { name: "result", label: "Result", kind: "line", hint: "One line." };
const REASON: Field = { name: "block_reason", label: "Reason", kind: "text" };
const AT: Field = {
  name: "scheduled_at",
  label: "Not before",
  kind: "time",
  hint: "Empty: until made ready manually.",
};

/** What is asked before tasks are sent to a column. `at`: the time that is set already. */
export function fieldsFor(to: Status, at: number | null = null): readonly Field[] {
  if (to === "done") return [SUMMARY, RESULT];
  if (to === "blocked") return [REASON];
  return to === "scheduled" ? [at === null ? AT : { ...AT, value: toLocalFieldTime(at) }, REASON] : [];
}

/** What is wrong with the answers. */
export function faultOf({ scheduled_at = "" }: Answers): string | undefined {
  const at = parseLocalTime(scheduled_at);
  return at !== undefined && at * 1000 <= Date.now() ? "This time is in the past." : undefined;
}

/** The fields of a status write by the answers; what is empty is left out. */
export function changeFor({ scheduled_at = "", ...texts }: Answers): Readonly<Record<string, unknown>> {
  const given = Object.entries(texts).flatMap(([name, text]) => (text.trim() === "" ? [] : [[name, text.trim()]]));
  const at = parseLocalTime(scheduled_at);
  return { ...Object.fromEntries(given), ...(at !== undefined && { scheduled_at: at }) };
}
