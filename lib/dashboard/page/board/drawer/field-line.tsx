import { useOpenTask } from "./drawer-context.js";
import { FieldEditor } from "./field-editor.js";
import { FieldValue } from "./field-value.js";
import type { FieldRow } from "./fields.js";
import { toFieldSource } from "./shown.js";
import { useEditing } from "./use-editing.js";

/** One field of the task: its value, and on a press its editor in the same place. */
export function FieldLine({ row, bare = false }: { row: FieldRow; bare?: boolean }) {
  const { page } = useOpenTask();
  const { editing, button, edit, close } = useEditing();
  const shown = toFieldSource(page);
  if (row.fits !== undefined && !row.fits(shown)) return null;
  const value = row.read(shown);
  const content = editing ? (
    <FieldEditor row={row} value={value} version={page.task.version} close={close} />
  ) : (
    <button ref={button} type="button" class="field-value" title={`Edit ${row.label.toLowerCase()}`} onClick={edit}>
      <FieldValue kind={row.kind} value={value} />
      <span class="sr-only">, edit {row.label.toLowerCase()}</span>
    </button>
  );
  if (bare) return content;
  return (
    <div class="property">
      <dt>{row.label}</dt>
      <dd>{content}</dd>
    </div>
  );
}
