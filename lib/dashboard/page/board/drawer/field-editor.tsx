import type { TargetedKeyboardEvent, TargetedSubmitEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { ConflictDialog } from "./conflict-dialog.js";
import { FieldControl } from "./field-control.js";
import type { FieldRow } from "./fields.js";
import { useSaving } from "./use-saving.js";

interface EditorProps {
  row: FieldRow;
  value: unknown;
  version: number;
  close(): void;
}

/** A field being edited in its place: Enter saves a line, Ctrl+Enter a text, Escape leaves it as it was. */
export function FieldEditor({ row, value, version, close }: EditorProps) {
  const { text, state, change, save, choose } = useSaving({ row, value, version, close });
  const form = useRef<HTMLFormElement>(null);
  useLayoutEffect(() => form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus(), []);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    save();
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLFormElement>): void => {
    // Keys of an editor are not keys of the drawer, those of a dialog above it not keys of the editor.
    event.stopPropagation();
    if (event.target instanceof Element && event.target.closest("dialog") !== null) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
    if (event.key === "Escape") close();
  };
  return (
    <form ref={form} class="field-editor" onSubmit={submit} onKeyDown={onKeyDown}>
      <FieldControl row={row} text={text} change={change} />
      {row.hint !== undefined && <p class="hint">{row.hint}</p>}
      {state.kind === "refused" && (
        <p class="problem" role="alert">
          {state.problem}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={state.kind === "saving"}>
          {state.kind === "saving" ? "Saving…" : "Save"}
        </button>
        <button type="button" onClick={close}>
          Cancel
        </button>
      </div>
      {state.kind === "conflict" && (
        <ConflictDialog conflict={state.conflict} choose={(choice) => choose(choice, state.conflict)} />
      )}
    </form>
  );
}
