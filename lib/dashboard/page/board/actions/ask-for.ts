import { findColumnTitle } from "../../state/board/columns.js";
import type { MovePlan } from "../../state/board/moves.js";
import type { BoardController } from "../desk.js";
import { changeFor, faultOf, fieldsFor } from "./move-fields.js";

/** What a move needs to know: a summary, a reason, a time, or that a worker may be stopped. Undefined: called off. */
export async function askFor(
  desk: BoardController,
  plan: MovePlan,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const fields = fieldsFor(plan.to);
  const stops = plan.stops === 0 ? undefined : stopWords(plan.stops);
  if (fields.length === 0 && stops === undefined) return {};
  const answers = await desk.services.dialogs.ask({
    title: titleFor(desk, plan),
    ...(stops !== undefined && { text: stops }),
    fields,
    confirm: plan.to === "done" ? "Complete" : `Move to ${findColumnTitle(plan.to)}`,
    danger: stops !== undefined,
    check: faultOf,
  });
  return answers && changeFor(answers);
}

const stopWords = (count: number): string =>
  count === 1
    ? "Its running worker will be stopped first."
    : `${count} of them are running; their workers will be stopped first.`;

function titleFor({ board }: BoardController, { ids, to }: MovePlan): string {
  const verb = to === "done" ? "Complete" : "Move";
  const [only = ""] = ids;
  const what =
    ids.length === 1 ? `“${shortenTitle(board.state.get().cards.get(only)?.title ?? only)}”` : `${ids.length} tasks`;
  return to === "done" ? `${verb} ${what}` : `${verb} ${what} to ${findColumnTitle(to)}`;
}

/** The beginning of a title, for a headline. */
export const shortenTitle = (title: string): string => (title.length > 60 ? `${title.slice(0, 59)}…` : title);
