import type { CheckpointDiff, CheckpointRow } from "../../../lib/contracts/owner/checkpoints.js";
import { LOADING, type Loaded } from "../../model/loaded.js";

/** Kept states of this directory, and what going back to one would change. */
export interface CheckpointsOverlay {
  readonly kind: "checkpoints";
  readonly rows: Loaded<CheckpointRow>;
  readonly at: number;
  /** Of the row at hand, once it is known. */
  readonly diff:
    | { readonly id: string; readonly of: CheckpointDiff }
    | { readonly id: string; readonly error: string }
    | undefined;
  /** On a narrow screen: the difference instead of the list. */
  readonly detail: boolean;
  /** Rows of the difference scrolled down. */
  readonly top: number;
  /** Going back to the row at hand is asked. */
  readonly asking: boolean;
}

export const CHECKPOINTS: CheckpointsOverlay = {
  kind: "checkpoints",
  rows: LOADING,
  at: 0,
  diff: undefined,
  detail: false,
  top: 0,
  asking: false,
};
