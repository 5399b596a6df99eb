import { showTask } from "../board/show.js";
import { EMPTY } from "../composer/editor.js";
import type { CallResult } from "../model/messages.js";
import { type State, showMessage, type Updated } from "../model/state.js";
import type { Filled, FormOverlay } from "../overlays/form/state.js";
import { selectedRun } from "./list.js";
import type { RunRow } from "./state.js";

type TaskRow = RunRow & { readonly board: string; readonly task: string };

const withTask =
  (act: (state: State, row: TaskRow) => Updated) =>
  (state: State): Updated => {
    const row = selectedRun(state);
    if (row?.board === undefined || row.task === undefined)
      return [showMessage(state, row === undefined ? "no run selected" : "it has no task"), []];
    return act(state, { ...row, board: row.board, task: row.task });
  };

/** Comment on the task of the run. */
export const comment = withTask((state, { board, task, title }) => {
  const overlay: FormOverlay = {
    kind: "form",
    asker: "runs.comment",
    title: `Comment on ${task}`,
    lines: [title],
    at: 0,
    button: "Comment",
    error: "",
    busy: false,
    subject: { board, task },
    fields: [{ name: "text", label: "Comment", kind: "text", editor: EMPTY, required: true }],
  };
  return [{ ...state, overlay }, []];
});

export function commentFilled(state: State, { values, subject }: Filled): Updated {
  if (state.connection === "lost") return [refused(state, "not connected"), []];
  const { board, task } = subject;
  const params = { board, id: task, text: [values["text"] ?? ""] };
  return [state, [{ do: "call", method: "kanban.comment", params, to: `runs.comment:${task ?? ""}` }]];
}

export function commentAnswered(state: State, answer: CallResult): Updated {
  if (!answer.ok) return [refused(state, answer.message), []];
  const task = answer.to.slice("runs.comment:".length);
  const open = state.overlay?.kind === "form" && state.overlay.asker === "runs.comment";
  return [showMessage(open ? { ...state, overlay: undefined } : state, `commented on ${task}`), []];
}

/** The words stay in the form. */
function refused(state: State, why: string): State {
  const { overlay } = state;
  if (overlay?.kind !== "form" || overlay.asker !== "runs.comment") return showMessage(state, why, true);
  return { ...state, overlay: { ...overlay, busy: false, error: why } };
}

/** The card of the run's task, on its board. */
export const toCard = withTask((state, { board, task }) => showTask(state, board, task));
