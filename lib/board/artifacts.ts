import { basename, extname, isAbsolute, join, relative } from "node:path";
import type { Tx } from "../../storage/store.js";
import { addAttachment, attachedBytes } from "../../storage/tables/board-comments.js";
import { AppError, systemCode } from "../base/errors.js";
import { factsOf, makeDirectory, realPath } from "../base/files.js";
import { type BoardSlug, type RunId, type TaskId, toUnix } from "../base/units.js";
import { copyHashed, dropFile } from "../base/workspace-files.js";
import { type Core, mustTask, note, type Stamp, unknownTask } from "./core.js";
import { KANBAN } from "./keys.js";

/** A declared file: copied into the attachment store and waiting for its row, or too large to keep. */
export type ArtifactDraft =
  | {
      readonly kept: true;
      readonly stored: string;
      readonly path: string;
      readonly filename: string;
      readonly size: number;
      readonly sha256: string;
    }
  | { readonly kept: false; readonly path: string; readonly size: number; readonly reason: string };

/**
 * Copy the declared files of a completion into the attachment store, before the task becomes done (board part, 4.6).
 *
 * @throws E_INVALID naming every path that is missing or outside the workspace; nothing was copied
 */
export async function stageArtifacts(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  paths: readonly string[],
): Promise<readonly ArtifactDraft[]> {
  if (paths.length === 0) return [];
  const files = await inWorkspace(core, at, paths);
  const root = core.places(at.board).attachments;
  const store = await core.store(at.board, at.id);
  let room = core.config.get(KANBAN.attachmentsBoardMax) - (await store.read(attachedBytes));
  await makeDirectory(join(root, at.id), 0o700);
  const drafts: ArtifactDraft[] = [];
  for (const file of files) {
    const draft = await keep(file, join(root, at.id), Math.min(core.config.get(KANBAN.attachmentMax), room));
    if (draft.kept) room -= draft.size;
    drafts.push(draft);
  }
  return drafts;
}

/** Real paths of the files, all inside the workspace after links are resolved. */
async function inWorkspace(core: Core, at: { board: BoardSlug; id: TaskId }, paths: readonly string[]): Promise<readonly string[]> {
  const store = await core.reading(at.board);
  if (store === undefined) throw unknownTask(at.id);
  const { workspace_path } = await store.read((q) => mustTask(q, at.id));
  const root = workspace_path === null ? undefined : await realPath(workspace_path);
  const found: string[] = [];
  const wrong: string[] = [];
  for (const path of paths) {
    const real = root === undefined ? undefined : await realPath(isAbsolute(path) ? path : join(root, path));
    const inside = real !== undefined && root !== undefined && isInside(root, real) && (await factsOf(real))?.kind === "file";
    if (inside) found.push(real);
    else wrong.push(path);
  }
  if (wrong.length === 0) return found;
  throw new AppError("E_INVALID", `not a file inside the workspace of ${at.id}: ${wrong.join(", ")}`, { paths: wrong });
}

function isInside(root: string, path: string): boolean {
  const way = relative(root, path);
  return way !== "" && !way.startsWith("..") && !isAbsolute(way);
}

async function keep(path: string, dir: string, maxBytes: number): Promise<ArtifactDraft> {
  const size = (await factsOf(path))?.size ?? 0;
  if (size > maxBytes) return { kept: false, path, size, reason: "too large" };
  const name = cleanName(path);
  for (let n = 0; ; n++) {
    const filename = numbered(name, n);
    try {
      const copied = await copyHashed(path, join(dir, filename), maxBytes);
      if (copied === undefined) return { kept: false, path, size, reason: "too large" };
      return { kept: true, stored: join(dir, filename), path, filename, ...copied };
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
    }
  }
}

const ARCHIVES = /\.tar\.(gz|bz2|xz|zst)$/;

/** Base name without control characters and leading dots, at most 200 characters. */
export function cleanName(path: string): string {
  const name = basename(path)
    .replace(/[\u0000-\u001f\u007f/\\]/g, "")
    .replace(/^\.+/, "")
    .slice(0, 200);
  return name === "" ? "file" : name;
}

/** `name (1).ext` for a name that is taken. */
export function numbered(name: string, n: number): string {
  if (n === 0) return name;
  const extension = ARCHIVES.exec(name)?.[0] ?? extname(name);
  return `${name.slice(0, name.length - extension.length)} (${n})${extension}`;
}

/** Rows and events of the staged files, in the transaction of the completion; ids of the attachments. */
export async function recordArtifacts(
  tx: Tx,
  at: { task: TaskId; run: RunId },
  drafts: readonly ArtifactDraft[],
  stamp: Stamp,
): Promise<readonly number[]> {
  const made: number[] = [];
  for (const draft of drafts) {
    if (!draft.kept) {
      note(tx, stamp, { kind: "artifact_skipped", ...at }, { path: draft.path, size: draft.size, reason: draft.reason });
      continue;
    }
    const { filename, size, sha256 } = draft;
    const stored_path = `${at.task}/${filename}`;
    const row = { task_id: at.task, filename, stored_path, content_type: typeOf(filename), size, sha256 };
    const id = await addAttachment(tx, { ...row, uploaded_by: stamp.name, run_id: at.run, created_at: toUnix(stamp.at) });
    note(tx, stamp, { kind: "attached", ...at }, { id, filename, size, by: stamp.name });
    made.push(id);
  }
  return made;
}

const TYPES: Readonly<Record<string, string>> = {
  ".csv": "text/csv",
  ".html": "text/html",
  ".jpeg": "image/jpeg",
  ".jpg": "image/jpeg",
  ".json": "application/json",
  ".md": "text/markdown",
  ".pdf": "application/pdf",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain",
  ".zip": "application/zip",
};

const typeOf = (filename: string): string => TYPES[extname(filename).toLowerCase()] ?? "application/octet-stream";

/** Nothing came of the completion: its copies go away again. */
export async function dropArtifacts(drafts: readonly ArtifactDraft[]): Promise<void> {
  for (const draft of drafts) if (draft.kept) await dropFile(draft.stored);
}
