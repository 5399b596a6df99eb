import { useState } from "preact/hooks";
import { useServices } from "../../services.js";
import { shortenTitle } from "../actions/ask-for.js";
import { changeWithConsent } from "../actions/insist.js";
import type { Conflict } from "./conflict.js";
import { useOpenTask } from "./drawer-context.js";
import { type FieldRow, toEdited } from "./fields.js";
import { type FieldDraft, type Saved, save } from "./saving.js";

/** What the user does about two versions of one value. */
export type ConflictChoice = "theirs" | "mine" | "edit";

interface Saving {
  readonly text: string;
  readonly state: Saved | { readonly kind: "editing" | "saving" };
  change(text: string): void;
  save(): void;
  choose(choice: ConflictChoice, conflict: Conflict): void;
}

interface Edited {
  readonly row: FieldRow;
  readonly value: unknown;
  /** Of the task, when the editing began. */
  readonly version: number;
  close(): void;
}

/** A value on its way from the editor into the task. It is held against the version that was shown when the editing began. */
export function useSaving({ row, value, version, close }: Edited): Saving {
  const { calls, reload, page } = useOpenTask();
  const { tell, dialogs } = useServices();
  const [start, setStart] = useState({ base: toEdited(row.kind, value), version });
  const [text, setText] = useState(start.base);
  const [state, setState] = useState<Saving["state"]>({ kind: "editing" });

  const send = async (draft: FieldDraft): Promise<void> => {
    setState({ kind: "saving" });
    const title = `${row.label} of ${shortenTitle(page.task.title)}`;
    const saved = await save(
      {
        page: calls.page,
        change: (change, version) =>
          changeWithConsent({ dialogs, title, change, send: (all) => calls.change(all, version) }),
      },
      draft,
    );
    if (saved.kind === "kept") return close();
    if (saved.kind !== "saved") return setState(saved);
    if (saved.warning !== undefined) tell("told", saved.warning);
    await reload();
    close();
  };
  const give = async (): Promise<void> => {
    if (text === start.base) return close();
    // A worker works under the name of its task: another name means another worker.
    if (row.key !== "assignee" || page.task.status !== "running") return send({ row, text, ...start });
    const told = {
      title: "Reassign the task?",
      text: "Its worker is stopped. The next one starts over.",
      confirm: "Stop and reassign",
    };
    if (!(await dialogs.confirm({ ...told, danger: true }))) return;
    await calls.reassign(text.trim());
    await reload();
    close();
  };
  const failed = (error: unknown): void =>
    setState({ kind: "refused", problem: error instanceof Error ? error.message : String(error) });
  const choose = (choice: ConflictChoice, conflict: Conflict): void => {
    if (choice === "theirs") {
      reload().then(close, failed);
      return;
    }
    const next = { base: conflict.theirs, version: conflict.version };
    setStart(next);
    setState({ kind: "editing" });
    if (choice === "mine") send({ row, text, ...next }).catch(failed);
  };
  return { text, state, change: setText, save: () => void give().catch(failed), choose };
}
