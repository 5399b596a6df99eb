import { ApiError } from "../../net/api.js";
import type { TaskCalls } from "./calls.js";
import { type Conflict, judgeConflict } from "./conflict.js";
import { type FieldRow, type FieldSource, fromEdited, toEdited, toFieldChange } from "./fields.js";
import { toFieldSource } from "./shown.js";

/** A value to save, as the editor holds it. */
export interface FieldDraft {
  readonly row: FieldRow;
  readonly text: string;
  /** What the task held when the editing began, and its version then. */
  readonly base: string;
  readonly version: number;
}

export type Saved =
  | { readonly kind: "saved"; readonly warning: string | undefined }
  /** It was called off when the owner objected. */
  | { readonly kind: "kept" }
  | { readonly kind: "refused"; readonly problem: string }
  | { readonly kind: "conflict"; readonly conflict: Conflict };

interface SaveCalls extends Pick<TaskCalls, "page"> {
  /** Undefined: the person has called it off. */
  change(...what: Parameters<TaskCalls["change"]>): Promise<Awaited<ReturnType<TaskCalls["change"]>> | undefined>;
}

/** Others may change the task again and again; after so many tries they are shown. */
const TRIES = 3;

/**
 * Save one value. What others have changed in the meantime is never overwritten unseen: other fields are left alone, and of this one both
 * versions are shown.
 */
export async function save(calls: SaveCalls, draft: FieldDraft): Promise<Saved> {
  const parsed = fromEdited(draft.row, draft.text);
  if (!parsed.ok) return { kind: "refused", problem: parsed.problem };
  let version = draft.version;
  for (let tries = 1; ; tries++) {
    try {
      const done = await calls.change(toFieldChange(draft.row, parsed.value), version);
      return done === undefined ? { kind: "kept" } : { kind: "saved", warning: done.warning };
    } catch (error) {
      if (!isStale(error)) return { kind: "refused", problem: error instanceof Error ? error.message : String(error) };
    }
    const conflict = conflictOf(draft, toFieldSource(await calls.page()));
    const verdict = judgeConflict(conflict);
    if (verdict.kind === "same") return { kind: "saved", warning: undefined };
    if (verdict.kind === "conflict" || tries >= TRIES) return { kind: "conflict", conflict };
    version = verdict.version;
  }
}

/** The task is not the one any more that the change was made for. */
const isStale = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 412 || (error.status === 409 && error.code === "E_CONFLICT"));

function conflictOf({ row, text, base }: FieldDraft, now: FieldSource): Conflict {
  const theirs = toEdited(row.kind, row.read(now));
  return { key: row.key, label: row.label, mine: text, theirs, base, version: now.task.version };
}
