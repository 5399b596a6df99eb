import { formatInstant } from "../../words/time.js";
import { useOpenTask } from "./drawer-context.js";
import { FieldEditor } from "./field-editor.js";
import type { FieldKind, FieldRow } from "./fields.js";
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

/** A value as it is read. */
function FieldValue({ kind, value }: { kind: FieldKind; value: unknown }) {
  if (kind === "flag") return <>{value === true ? "yes" : "no"}</>;
  if (value === null || value === undefined || value === "" || (Array.isArray(value) && value.length === 0))
    return <span class="soft">none</span>;
  if (kind === "time" && typeof value === "number") return <time>{formatInstant(value)}</time>;
  if (Array.isArray(value)) return <>{value.join(", ")}</>;
  return <>{typeof value === "object" ? JSON.stringify(value) : String(value)}</>;
}
