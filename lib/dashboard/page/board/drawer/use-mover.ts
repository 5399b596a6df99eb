import type { Task } from "../../../../contracts/board/board.js";
import { useServices } from "../../services.js";
import type { DialogQuestion } from "../../state/dialogs.js";
import { shortenTitle } from "../actions/ask-for.js";
import { changeWithConsent } from "../actions/insist.js";
import { changeFor, faultOf, fieldsFor } from "../actions/move-fields.js";
import { useOpenTask } from "./drawer-context.js";
import type { ManualMove } from "./moves.js";

type Sent = Pick<Task, "id" | "status" | "scheduled_at" | "title">;

/** Sends the open task on: asks for what has to be known, and asks again where the owner has an objection that can be overruled. */
export function useMover(): (task: Sent, move: ManualMove) => Promise<void> {
  const { calls, reload } = useOpenTask();
  const { dialogs, tell } = useServices();
  return async (task, move) => {
    const question = questionFor(task, move);
    const answers = question === undefined ? {} : await dialogs.ask(question);
    if (answers === undefined) return;
    const change = { ...changeFor(answers), status: move.to, expected_status: task.status };
    const done = await changeWithConsent({
      dialogs,
      title: shortenTitle(task.title),
      change,
      send: (all) => calls.change(all),
    });
    if (done?.warning !== undefined) tell("told", done.warning);
    await reload();
  };
}

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
