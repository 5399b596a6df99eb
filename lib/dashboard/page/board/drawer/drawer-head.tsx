import { findColumnTitle } from "../../state/board/columns.js";
import { useOpenTask } from "./drawer-context.js";
import { FieldEditor } from "./field-editor.js";
import { TITLE } from "./fields.js";
import { useEditing } from "./use-editing.js";

/** Id and status, which stay in sight, and title of the task. */
export function DrawerHead() {
  const { page } = useOpenTask();
  const { task } = page;
  const { editing, button, edit, close } = useEditing();
  return (
    <>
      <div class="drawer-marks">
        <code>{task.id}</code>
        <span class={`chip status-chip status-${task.status}`}>{findColumnTitle(task.status)}</span>
        {task.priority !== 0 && <span class="chip">P{task.priority}</span>}
        {task.block_kind !== null && <span class="chip">{task.block_kind}</span>}
        {task.verdict === "rejected" && <span class="chip chip-bad">rejected</span>}
        {task.hold && <span class="chip">held</span>}
        {task.external && <span class="chip">external</span>}
      </div>
      <header class="drawer-head">
        {editing ? (
          <FieldEditor row={TITLE} value={task.title} version={task.version} close={close} />
        ) : (
          <div class="drawer-title">
            <h2>{task.title}</h2>
            <button ref={button} type="button" class="quiet small" onClick={edit}>
              Edit title
            </button>
          </div>
        )}
      </header>
    </>
  );
}
