import type { Task } from "../../../../contracts/board/board.js";
import type { DialogQuestion } from "../../state/dialogs.js";
import { faultOf, fieldsFor } from "../actions/move-fields.js";
import type { ManualMove } from "./moves.js";

/** What has to be asked before a task is sent on; undefined: nothing. */
export function questionFor(
  { id, status, scheduled_at }: Pick<Task, "id" | "status" | "scheduled_at">,
  move: ManualMove,
): DialogQuestion | undefined {
  const fields = fieldsFor(move.to, scheduled_at);
  if (fields.length === 0 && move.sure !== true) return undefined;
  return {
    title: `${move.label}: ${id}`,
    ...(status === "running" && { text: "Its worker is stopped." }),
    fields,
    confirm: move.label,
    danger: move.danger === true,
    check: faultOf,
  };
}
