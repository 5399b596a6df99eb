import { basename, join } from "node:path";
import {
  type AttachmentRow,
  attachedBytes,
  attachmentsOf,
  dropAttachment,
  getAttachment,
} from "../../../storage/tables/board/comments.js";
import { AppError } from "../../base/errors.js";
import { realPath, statPath } from "../../base/fs/files.js";
import { dropFile } from "../../base/fs/workspace-files.js";
import type { BoardSlug, RunId, TaskId } from "../../base/units.js";
import type { Actor, Task } from "../../contracts/board/board.js";
import type { Attachment, GivenFile } from "../../contracts/board/records.js";
import { isBelow } from "../../safety/paths/paths.js";
import { appendTaskEvent, type Core, mustTask, mustView, toStamp, unknownTask } from "../core/core.js";
import { KANBAN } from "../core/keys.js";
import { updateTaskColumns } from "../core/states.js";
import { checkActor, checkVerb } from "../core/verbs.js";
import { recordFile, stageFiles } from "./artifacts.js";
import { dropStored, isUnknown, type SourceFile, type StoredFile } from "./attachment-files.js";

interface At {
  readonly board: BoardSlug;
  readonly id: TaskId;
}

export type Staged = StoredFile & {
  readonly contentType?: string | undefined;
  readonly uploadedBy?: string | undefined;
};

/** Copy files into the attachment store before their rows are written. @throws E_INVALID no such file, E_TOO_LARGE; nothing stays */
export async function stage(core: Core, at: At, files: readonly GivenFile[]): Promise<readonly Staged[]> {
  await checkFiles(files);
  const named: SourceFile[] = [];
  for (const { path, filename, bytes } of files) {
    const from = bytes === undefined ? ((await realPath(path)) ?? path) : path;
    named.push({ path: from, name: filename?.trim() || basename(path), bytes });
  }
  const drafts = await stageFiles(core, at, named);
  const over = drafts.find((draft) => !draft.kept);
  if (over !== undefined) {
    await dropStored(drafts);
    const max = core.config.get(KANBAN.attachmentMax);
    const whole = files[drafts.indexOf(over)]?.bytes === undefined;
    throw over.size > max
      ? tooLarge(over.path, whole ? `${over.size} bytes` : "larger than expected", max)
      : noRoom(core);
  }
  return drafts.flatMap((draft, n) =>
    draft.kept ? [{ ...draft, contentType: files[n]?.content_type, uploadedBy: files[n]?.uploadedBy?.() }] : [],
  );
}

/** Every path must lead to a file. @throws E_INVALID naming those that do not */
export async function checkFiles(files: readonly GivenFile[]): Promise<void> {
  const wrong: string[] = [];
  for (const { path, bytes } of files)
    if (bytes === undefined && (await statPath(path))?.kind !== "file") wrong.push(path);
  if (wrong.length > 0) throw new AppError("E_INVALID", `no such file: ${wrong.join(", ")}`, { paths: wrong });
}

const tooLarge = (path: string, size: string, bound: number) =>
  new AppError("E_TOO_LARGE", `${basename(path)} is too large: ${size} (limit ${bound}, kanban.attachment_max_bytes)`, {
    bound,
  });

const noRoom = (core: Core) => {
  const bound = core.config.get(KANBAN.attachmentsBoardMax);
  return new AppError(
    "E_TOO_LARGE",
    `the attachments of the board would exceed ${bound} bytes (kanban.attachments_board_max_bytes)`,
    {
      bound,
    },
  );
};

/** Attach files to a task (board part, 8.5): all or none. */
export async function attach(
  core: Core,
  at: At,
  files: readonly GivenFile[],
  by: Actor,
): Promise<{ task: Task; attachments: readonly Attachment[] }> {
  checkActor("attach", at.id, by);
  if (files.length === 0) throw new AppError("E_USAGE", "missing file to attach");
  const store = await core.store(at.board, at.id);
  await store.read((q) => mustTask(q, at.id));
  const staged = await stage(core, at, files);
  const stamp = toStamp(core, by);
  try {
    return await store.write("board.attach", async (tx) => {
      const task = await mustTask(tx, at.id);
      checkVerb("attach", task);
      const added: number[] = [];
      for (const file of staged) added.push(await recordFile(tx, { task: at.id, run: null }, file, stamp));
      if ((await attachedBytes(tx)) > core.config.get(KANBAN.attachmentsBoardMax)) throw noRoom(core);
      await updateTaskColumns(tx, task, stamp.at);
      const made = (await attachmentsOf(tx, at.id)).filter((row) => added.includes(row.id));
      return { task: await mustView(tx, at.id), attachments: made.map(toAttachment) };
    });
  } catch (error) {
    if (!isUnknown(error)) await dropStored(staged);
    throw error;
  }
}

/** Attachments of a task, oldest first. @throws E_NOT_FOUND */
export async function listAttachments(core: Core, at: At): Promise<readonly Attachment[]> {
  const store = await core.reading(at.board);
  if (store === undefined) throw unknownTask(at.id);
  return store.read(async (q) => {
    await mustTask(q, at.id);
    return (await attachmentsOf(q, at.id)).map(toAttachment);
  });
}

const unknown = (id: number, task?: TaskId) =>
  new AppError("E_NOT_FOUND", `no attachment ${id}${task === undefined ? "" : ` on ${task}`}`, { attachment: id });

/** One attachment with the path of its bytes. A stored path that leads out of the attachments folder is never served. */
export async function readAttachment(
  core: Core,
  board: BoardSlug,
  id: number,
): Promise<{ attachment: Attachment; path: string }> {
  const store = await core.reading(board);
  const row = await store?.read((q) => getAttachment(q, id));
  if (row === undefined) throw unknown(id);
  const path = await placeOf(core, board, row);
  if (path === undefined)
    throw new AppError("E_NOT_FOUND", `the file of attachment ${id} is missing`, { attachment: id });
  return { attachment: toAttachment(row), path };
}

async function placeOf(core: Core, board: BoardSlug, row: AttachmentRow): Promise<string | undefined> {
  const root = await realPath(core.places(board).attachments);
  const path = root === undefined ? undefined : await realPath(join(root, row.stored_path));
  return root !== undefined && path !== undefined && isBelow(path, root) && (await statPath(path))?.kind === "file"
    ? path
    : undefined;
}

/** Remove an attachment: its row, then its file. */
export async function detach(
  core: Core,
  board: BoardSlug,
  given: { readonly attachment: number; readonly task: TaskId | undefined },
  by: Actor,
): Promise<{ task: Task; attachment: Attachment }> {
  const id = given.attachment;
  const store = await core.reading(board);
  const row = await store?.read((q) => getAttachment(q, id));
  if (store === undefined || row === undefined || (given.task !== undefined && row.task_id !== given.task))
    throw unknown(id, given.task);
  checkActor("attach", row.task_id, by);
  const path = await placeOf(core, board, row);
  const stamp = toStamp(core, by);
  const task = await store.write("board.detach", async (tx) => {
    if (!(await dropAttachment(tx, id))) throw unknown(id, given.task);
    await updateTaskColumns(tx, await mustTask(tx, row.task_id), stamp.at);
    appendTaskEvent(tx, stamp, { kind: "attachment_removed", task: row.task_id }, { filename: row.filename });
    return mustView(tx, row.task_id);
  });
  if (path !== undefined) await dropFile(path);
  return { task, attachment: toAttachment(row) };
}

/** A row as JSON shows it. */
/** The row as JSON has it. */
export const toAttachment = (row: AttachmentRow): Attachment => ({ ...row, run_id: row.run_id as RunId | null }); // written from a run's id
