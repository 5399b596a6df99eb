import type { Tx } from "../../storage/store.js";
import { AppError } from "../base/errors.js";
import type { BoardSlug, RunId, TaskId } from "../base/units.js";
import type { Actor } from "../proto/board.js";
import type { Core, Stamp } from "./core.js";

/** A file that was copied into the attachment store and waits for its row. */
export interface ArtifactDraft {
  readonly path: string;
}

export async function stageArtifacts(
  _core: Core,
  _at: { board: BoardSlug; id: TaskId },
  paths: readonly string[],
  _by: Actor,
): Promise<readonly ArtifactDraft[]> {
  if (paths.length === 0) return [];
  throw new AppError("E_INVALID", `artifacts are not available yet: ${paths.join(", ")}`);
}

export async function recordArtifacts(
  _tx: Tx,
  _task: TaskId,
  _run: RunId,
  _drafts: readonly ArtifactDraft[],
  _stamp: Stamp,
): Promise<readonly number[]> {
  return [];
}

export async function dropArtifacts(_drafts: readonly ArtifactDraft[]): Promise<void> {
  return undefined;
}
