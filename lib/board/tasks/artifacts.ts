import { isAbsolute, join } from "node:path";
import type { Tx } from "../../../storage/store.js";
import { addAttachment, attachedBytes, attachmentsOf } from "../../../storage/tables/board/comments.js";
import { AppError } from "../../base/errors.js";
import { realPath, statPath } from "../../base/fs/files.js";
import { type BoardSlug, type RunId, type TaskId, toUnix } from "../../base/units.js";
import { isBelow } from "../../safety/paths/paths.js";
import { appendTaskEvent, type Core, mustTask, type Stamp, unknownTask } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import {
  dropStored,
  type SkippedFile,
  type SourceFile,
  type StoredFile,
  storeFile,
  typeOf,
} from "./attachment-files.js";

/**
 * Copy the declared files of a completion into the attachment store, before the task becomes done (board part, 4.6).
 *
 * @throws E_INVALID naming every path that is missing or outside the workspace; nothing was copied
 */
export async function stageArtifacts(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  paths: readonly string[],
): Promise<readonly (StoredFile | SkippedFile)[]> {
  if (paths.length === 0) return [];
  const files = await inWorkspace(core, at, paths);
  return stageFiles(
    core,
    at,
    files.map((path) => ({ path, name: path })),
  );
}

/** Copy files into the attachment store, where they wait for their rows. What is over a bound is skipped; after a failure nothing stays. */
export async function stageFiles(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  files: readonly SourceFile[],
): Promise<readonly (StoredFile | SkippedFile)[]> {
  const dir = join(core.places(at.board).attachments, at.id);
  const store = await core.making(at.board);
  let room = core.config.get(KANBAN.attachmentsBoardMax) - (await store.read(attachedBytes));
  const taken = new Set((await store.read((q) => attachmentsOf(q, at.id))).map((row) => row.filename));
  const drafts: (StoredFile | SkippedFile)[] = [];
  try {
    for (const file of files) {
      const maxBytes = Math.min(core.config.get(KANBAN.attachmentMax), room);
      const draft = await storeFile(file, { dir, taken, maxBytes });
      if (draft.kept) room -= draft.size;
      drafts.push(draft);
    }
  } catch (error) {
    await dropStored(drafts);
    throw error;
  }
  return drafts;
}

/** Real paths of the files, all inside the workspace after links are resolved. */
async function inWorkspace(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  paths: readonly string[],
): Promise<readonly string[]> {
  const store = await core.reading(at.board);
  if (store === undefined) throw unknownTask(at.id);
  const { workspace_path } = await store.read((q) => mustTask(q, at.id));
  const root = workspace_path === null ? undefined : await realPath(workspace_path);
  const found: string[] = [];
  const wrong: string[] = [];
  for (const path of paths) {
    const real = root === undefined ? undefined : await realPath(isAbsolute(path) ? path : join(root, path));
    const inside =
      real !== undefined && root !== undefined && isBelow(real, root) && (await statPath(real))?.kind === "file";
    if (inside) found.push(real);
    else wrong.push(path);
  }
  if (wrong.length === 0) return found;
  throw new AppError("E_INVALID", `not a file inside the workspace of ${at.id}: ${wrong.join(", ")}`, { paths: wrong });
}

/** Rows and events of the staged files, in the transaction of the completion; ids of the attachments. */
export async function recordArtifacts(
  tx: Tx,
  at: { task: TaskId; run: RunId },
  drafts: readonly (StoredFile | SkippedFile)[],
  stamp: Stamp,
): Promise<readonly number[]> {
  const made: number[] = [];
  for (const draft of drafts) {
    if (!draft.kept) {
      appendTaskEvent(
        tx,
        stamp,
        { kind: "artifact_skipped", ...at },
        { path: draft.path, size: draft.size, reason: draft.reason },
      );
      continue;
    }
    const id = await recordFile(tx, at, draft, stamp);
    made.push(id);
  }
  return made;
}

/** Row and event of one stored file; its id. */
export async function recordFile(
  tx: Tx,
  at: { task: TaskId; run: RunId | null },
  file: StoredFile & { readonly contentType?: string | undefined; readonly uploadedBy?: string | undefined },
  stamp: Stamp,
): Promise<number> {
  const { filename, size, sha256, uploadedBy: by = stamp.name } = file;
  const stored_path = `${at.task}/${filename}`;
  const row = {
    task_id: at.task,
    filename,
    stored_path,
    content_type: file.contentType ?? typeOf(filename),
    size,
    sha256,
  };
  const id = await addAttachment(tx, { ...row, uploaded_by: by, run_id: at.run, created_at: toUnix(stamp.at) });
  appendTaskEvent(tx, stamp, { kind: "attached", ...at }, { id, filename, size, by });
  return id;
}
