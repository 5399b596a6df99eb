import { Markdown } from "../../markdown-view.js";
import { useOpenTask } from "./drawer-context.js";
import { FieldEditor } from "./field-editor.js";
import { type FieldRow, toEdited } from "./fields.js";
import { toFieldSource } from "./shown.js";
import { useEditing } from "./use-editing.js";

/** A long field: read as Markdown, or as it stands when it is data; edited as it was written. */
export function TextField({ row, title = true }: { row: FieldRow; title?: boolean }) {
  const { page } = useOpenTask();
  const { editing, button, edit, close } = useEditing();
  const shown = toFieldSource(page);
  if (row.fits !== undefined && !row.fits(shown)) return null;
  const value = row.read(shown);
  const text = toEdited(row.kind, value);
  if (editing) return <FieldEditor row={row} value={value} version={page.task.version} close={close} />;
  return (
    <div class="text-field">
      <div class="text-field-head">
        {title && <h4>{row.label}</h4>}
        <button ref={button} type="button" class="quiet small" onClick={edit}>
          {text === "" ? `Write ${row.label.toLowerCase()}` : `Edit ${row.label.toLowerCase()}`}
        </button>
      </div>
      {text !== "" &&
        (row.kind === "json" ? <pre class="data">{text}</pre> : <Markdown text={text} below={title ? 3 : 2} />)}
    </div>
  );
}
