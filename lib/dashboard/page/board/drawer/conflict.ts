/** Two versions of one value: what the user wanted to save, and what the task holds by now. */
export interface Conflict {
  readonly key: string;
  readonly label: string;
  /** Both as an editor holds them. */
  readonly mine: string;
  readonly theirs: string;
  /** What it was when the editing began. */
  readonly base: string;
  /** Version of the task that holds `theirs`. */
  readonly version: number;
}

/** What became of saving a value that others may have changed meanwhile. */
export type ConflictVerdict =
  /** They have saved the same. */
  | { readonly kind: "same" }
  /** They have changed something else: it can be saved on top of that. */
  | { readonly kind: "apart"; readonly version: number }
  | { readonly kind: "conflict"; readonly conflict: Conflict };

/** Judge a refused save by the task as it is now. */
export function judgeConflict(conflict: Conflict): ConflictVerdict {
  if (conflict.theirs === conflict.mine) return { kind: "same" };
  return conflict.theirs === conflict.base
    ? { kind: "apart", version: conflict.version }
    : { kind: "conflict", conflict };
}
