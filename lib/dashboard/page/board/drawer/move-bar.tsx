import { useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { formatRoute } from "../../state/route.js";
import { useOpenTask } from "./drawer-context.js";
import { movesOf } from "./moves.js";
import { useMover } from "./use-mover.js";

/** Where the task can be sent, as buttons; and its end. */
export function MoveBar() {
  const { calls, page } = useOpenTask();
  const { dialogs, failed, route, tell } = useServices();
  const mover = useMover();
  const [busy, setBusy] = useState(false);
  const { task } = page;
  const doing = (work: Promise<void>): void => {
    setBusy(true);
    work.catch(failed).finally(() => setBusy(false));
  };
  const remove = async (): Promise<void> => {
    const text = `${task.title}\n\nIts comments, runs, attachments and logs are deleted too. This cannot be undone.${task.status === "running" ? " Its worker is stopped first." : ""}`;
    if (!(await dialogs.confirm({ title: `Delete ${task.id}?`, text, confirm: "Delete permanently", danger: true })))
      return;
    await calls.remove();
    tell("done", `${task.id} was deleted.`);
    window.location.hash = formatRoute({ view: "board", query: route.get().query });
  };
  return (
    <fieldset class="moves" aria-label="Send the task on" disabled={busy}>
      {movesOf(task).map((move) => (
        <button key={`${move.to} ${move.label}`} type="button" onClick={() => doing(mover(task, move))}>
          {move.label}
        </button>
      ))}
      <button type="button" class="quiet danger-text" onClick={() => doing(remove())}>
        Delete
      </button>
    </fieldset>
  );
}
