import { titleOf } from "../../state/board/columns.js";
import type { MovePlan } from "../../state/board/moves.js";
import { unixFromLocal } from "../../state/board/times.js";
import type { Field } from "../../state/dialogs.js";
import type { Desk } from "../desk.js";

const SUMMARY: Field = { name: "summary", label: "Summary", kind: "text", hint: "What came of it. Its children read it." };
const REASON: Field = { name: "block_reason", label: "Reason", kind: "text" };
const AT: Field = { name: "scheduled_at", label: "Not before", kind: "time", hint: "Empty: until somebody unblocks it." };

const FIELDS: Readonly<Record<string, readonly Field[]>> = { done: [SUMMARY], blocked: [REASON], scheduled: [AT, REASON] };

/** What a move needs to know: a summary, a reason, a time, or that a worker may be stopped. Undefined: called off. */
export async function askFor(desk: Desk, plan: MovePlan): Promise<Readonly<Record<string, unknown>> | undefined> {
  const fields = FIELDS[plan.to] ?? [];
  const stops = plan.stops === 0 ? undefined : stopWords(plan.stops);
  if (fields.length === 0 && stops === undefined) return {};
  const answers = await desk.services.dialogs.ask({
    title: titleFor(desk, plan),
    ...(stops !== undefined && { text: stops }),
    fields,
    confirm: plan.to === "done" ? "Complete" : `Move to ${titleOf(plan.to)}`,
    danger: stops !== undefined,
    check: ({ scheduled_at = "" }) =>
      scheduled_at !== "" && unixFromLocal(scheduled_at) * 1000 <= Date.now() ? "This time has passed." : undefined,
  });
  if (answers === undefined) return undefined;
  const { summary, block_reason, scheduled_at } = answers;
  return {
    ...(summary && { summary }),
    ...(block_reason && { block_reason }),
    ...(scheduled_at && { scheduled_at: unixFromLocal(scheduled_at) }),
  };
}

const stopWords = (count: number): string =>
  count === 1
    ? "A worker is busy with it and will be stopped first."
    : `${count} of them are being worked on; these workers will be stopped first.`;

function titleFor({ board }: Desk, { ids, to }: MovePlan): string {
  const verb = to === "done" ? "Complete" : "Move";
  const [only = ""] = ids;
  const what = ids.length === 1 ? `“${short(board.state.get().cards.get(only)?.title ?? only)}”` : `${ids.length} tasks`;
  return to === "done" ? `${verb} ${what}` : `${verb} ${what} to ${titleOf(to)}`;
}

/** The beginning of a title, for a headline. */
export const short = (title: string): string => (title.length > 60 ? `${title.slice(0, 59)}…` : title);
