import type { Status, Task } from "../../../../proto/board.js";
import { ApiError } from "../../net/api.js";
import { useServices } from "../../services.js";
import { titleOf } from "../../state/board/columns.js";
import type { Question } from "../../state/dialogs.js";
import { useOpenTask } from "./drawer-context.js";
import { changeFor, questionFor } from "./move-question.js";
import type { Move } from "./moves.js";
import { isStale } from "./saving.js";

type Sent = Pick<Task, "id" | "status" | "scheduled_at">;

/** Sends the open task on: asks for what has to be known, and asks again where the owner has an objection that can be overruled. */
export function useMover(): (task: Sent, move: Move) => Promise<void> {
  const { calls, reload } = useOpenTask();
  const { dialogs, tell } = useServices();

  const send = async (fields: Readonly<Record<string, unknown>>, move: Move, seen: Status): Promise<void> => {
    try {
      const { warning } = await calls.change({ ...fields, status: move.to, expected_status: seen });
      if (warning !== undefined) tell("told", warning);
      await reload();
    } catch (error) {
      const objection = await objectionOf(error, move, seen, async () => (await calls.page()).task.status);
      if (objection === undefined) throw error;
      const again = await dialogs.confirm(objection.question);
      if (again) await send({ ...fields, ...objection.fields }, move, objection.seen);
      else await reload();
    }
  };
  return async (task, move) => {
    const question = questionFor(task, move);
    const answers = question === undefined ? {} : await dialogs.ask(question);
    if (answers !== undefined) await send(changeFor(move, answers), move, task.status);
  };
}

interface Objection {
  readonly question: Omit<Question, "fields">;
  readonly fields: Readonly<Record<string, unknown>>;
  readonly seen: Status;
}

/** A refusal that somebody may overrule; undefined: it stands. */
async function objectionOf(error: unknown, move: Move, seen: Status, look: () => Promise<Status>): Promise<Objection | undefined> {
  if (!(error instanceof ApiError)) return undefined;
  if (error.code === "E_PARENTS_OPEN" || error.code === "E_CHILD_RUNNING") {
    const title = error.code === "E_PARENTS_OPEN" ? "It waits for other tasks" : "A task that waits for it is running";
    return { question: { title, text: error.message, confirm: `${move.label} anyway`, danger: true }, fields: { force: true }, seen };
  }
  if (!isStale(error)) return undefined;
  const now = await look();
  if (now === seen || now === move.to) return undefined;
  const text = `You saw it in ${titleOf(seen)}. By now it is in ${titleOf(now)}: somebody else has moved it.`;
  return { question: { title: "It has moved meanwhile", text, confirm: `${move.label} all the same` }, fields: {}, seen: now };
}
