import type { TargetedKeyboardEvent, TargetedSubmitEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useServices } from "../../services.js";
import type { Conflict } from "./conflict.js";
import { ConflictDialog } from "./conflict-dialog.js";
import { useOpenTask } from "./drawer-context.js";
import { FieldControl } from "./field-control.js";
import { type FieldRow, toEdited } from "./fields.js";
import { type Draft, type Saved, save } from "./saving.js";

interface EditorProps {
  row: FieldRow;
  value: unknown;
  version: number;
  close(): void;
}

/** A field being edited. What is saved is held against the version that was shown when the editing began. */
export function FieldEditor({ row, value, version, close }: EditorProps) {
  const { calls, reload, page } = useOpenTask();
  const { tell, dialogs } = useServices();
  const [start, setStart] = useState({ base: toEdited(row.kind, value), version });
  const [text, setText] = useState(start.base);
  const [state, setState] = useState<Saved | { readonly kind: "editing" | "saving" }>({ kind: "editing" });
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => form.current?.querySelector<HTMLElement>("input, textarea, select")?.focus(), []);

  const send = async (draft: Draft): Promise<void> => {
    setState({ kind: "saving" });
    const saved = await save(calls, draft);
    if (saved.kind !== "saved") return setState(saved);
    if (saved.warning !== undefined) tell("told", saved.warning);
    await reload();
    close();
  };
  const give = async (): Promise<void> => {
    if (text === start.base) return close();
    // A worker works under the name of its task: another name means another worker.
    if (row.key !== "assignee" || page.task.status !== "running") return send({ row, text, ...start });
    const sure = await dialogs.confirm({
      ...{
        title: "Give it to somebody else?",
        text: "Its worker is stopped. The next one begins anew.",
        confirm: "Stop and give",
        danger: true,
      },
    });
    if (!sure) return;
    await calls.reassign(text.trim());
    await reload();
    close();
  };
  const failed = (error: unknown): void => setState({ kind: "refused", problem: error instanceof Error ? error.message : String(error) });
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    give().catch(failed);
  };
  const onKeyDown = (event: TargetedKeyboardEvent<HTMLFormElement>): void => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.current?.requestSubmit();
    if (event.key === "Escape") close();
    // Keys of an editor are no keys of the board.
    event.stopPropagation();
  };
  const resolve = (choice: "theirs" | "mine" | "edit", conflict: Conflict): void => {
    if (choice === "theirs") {
      reload().then(close, failed);
      return;
    }
    const next = { base: conflict.theirs, version: conflict.version };
    setStart(next);
    setState({ kind: "editing" });
    if (choice === "mine") send({ row, text, ...next }).catch(failed);
  };
  return (
    <form ref={form} class="field-editor" onSubmit={submit} onKeyDown={onKeyDown}>
      <FieldControl row={row} text={text} change={setText} />
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
      {state.kind === "conflict" && <ConflictDialog conflict={state.conflict} choose={(choice) => resolve(choice, state.conflict)} />}
    </form>
  );
}
