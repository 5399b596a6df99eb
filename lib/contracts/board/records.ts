import type { BoardSlug, RunId, TaskId, UnixSeconds } from "../../base/units.js";
import type { Actor, Run, Status, Task, Verdict } from "./board.js";

/** What `edit` changes (board part, 4.3). Left out: stays. Null or an empty text clears. */
export interface EditParams {
  readonly title?: string | undefined;
  readonly body?: string | null | undefined;
  readonly priority?: number | undefined;
  readonly assignee?: string | null | undefined;
  readonly tenant?: string | null | undefined;
  /** Replaces all skills; `add_skills` and `remove_skills` change the current ones. */
  readonly skills?: readonly string[] | undefined;
  readonly add_skills?: readonly string[] | undefined;
  readonly remove_skills?: readonly string[] | undefined;
  readonly max_runtime_seconds?: number | null | undefined;
  readonly max_retries?: number | null | undefined;
  readonly workspace_kind?: Task["workspace_kind"] | undefined;
  readonly workspace_path?: string | null | undefined;
  readonly branch_name?: string | null | undefined;
  readonly model_override?: string | null | undefined;
  readonly goal_mode?: boolean | undefined;
  readonly goal_max_turns?: number | null | undefined;
  readonly auto_decompose?: boolean | undefined;
  readonly external?: boolean | undefined;
  readonly hold?: boolean | undefined;
  /** The last four are for done tasks only; summary, metadata and verdict are those of the newest completed run. */
  readonly result?: string | null | undefined;
  readonly summary?: string | null | undefined;
  readonly metadata?: Readonly<Record<string, unknown>> | null | undefined;
  readonly verdict?: Verdict | undefined;
}

/** How a change is made, beside what is changed. */
export interface ChangeOptions {
  /** The task must still have this version. */
  readonly expected_version?: number | undefined;
  /** Stop the workers of children that a rejected verdict takes back. */
  readonly force?: boolean | undefined;
  /** Directory of the caller: where the repository of a worktree is looked for. */
  readonly cwd?: string | undefined;
}

export interface Edited {
  readonly task: Task;
  /** What really changed; empty when everything was so already. */
  readonly fields: readonly string[];
  /** Children that wait again because of the verdict. */
  readonly demoted: readonly TaskId[];
  readonly warnings: readonly string[];
}

/** A status write with its fields (board part, 14.5). Everything is applied in one transaction or nothing is. */
export interface WriteParams extends EditParams {
  readonly status?: string | undefined;
  readonly block_reason?: string | null | undefined;
  readonly scheduled_at?: UnixSeconds | null | undefined;
}

export interface WriteOptions extends ChangeOptions {
  readonly expected_status?: Status | undefined;
  /** Kept in the event where the verb has one. */
  readonly reason?: string | undefined;
}

export interface ReassignParams {
  readonly assignee: string | null;
  /** Stop its worker first. */
  readonly reclaim?: boolean | undefined;
  readonly reason?: string | undefined;
  /** The task must still have this version. */
  readonly expected_version?: number | undefined;
}

export interface Reassigned {
  readonly task: Task;
  /** A worker was stopped and its run closed. */
  readonly reclaimed: boolean;
  readonly warnings: readonly string[];
}

/** `any`: in any status, its worker stopped first. `expected_version`: the task must still have it. */
export interface RemoveTaskParams {
  readonly any?: boolean | undefined;
  readonly expected_version?: number | undefined;
}

/** A task that was deleted. */
export interface Removed {
  readonly task_id: TaskId;
  readonly title: string;
  /** Children that became ready. */
  readonly released: readonly TaskId[];
  /** Directories that were left where they are: a worktree with work in it, one that is not the board's. */
  readonly kept: readonly string[];
}

/** Children of a decomposition that were held. */
export interface ReleasedChildren {
  readonly task: Task;
  /** Were held; those whose parents are settled are ready now. */
  readonly released: readonly TaskId[];
  readonly promoted: readonly TaskId[];
}

export interface Attachment {
  readonly id: number;
  readonly task_id: TaskId;
  readonly filename: string;
  readonly stored_path: string;
  readonly content_type: string;
  readonly size: number;
  readonly sha256: string;
  readonly uploaded_by: string;
  readonly run_id: RunId | null;
  readonly created_at: UnixSeconds;
}

/** A file to attach: read by this process, on this machine. */
export interface GivenFile {
  /** With `bytes` only what it is called in messages. */
  readonly path: string;
  /** Content in pieces, instead of the file at the path. Read once, after the rest of the request has been validated. */
  readonly bytes?: AsyncIterable<Uint8Array> | undefined;
  /** Uploader; read after the last byte of content (default: the caller). */
  readonly uploadedBy?: (() => string | undefined) | undefined;
  /** Default: base name of the path. */
  readonly filename?: string | undefined;
  /** Default: by the ending of the name. */
  readonly content_type?: string | undefined;
}

/** Verbs that change records beside the life cycle of a task. */
export interface BoardRecords {
  /** @throws E_USAGE nothing was given, E_STATE, E_RUNNING, E_CHILD_RUNNING, E_CONFLICT, E_INVALID, E_TOO_LARGE, E_WORKSPACE */
  edit(board: BoardSlug, id: TaskId, params: EditParams & ChangeOptions, by: Actor): Promise<Edited>;
  /**
   * Change fields and status at once, as the dashboard does. `running` is never set.
   *
   * @throws E_INVALID an unknown status or `running`, E_CONFLICT expected status or version differ, E_STATE, E_PARENTS_OPEN naming parents, and those of `edit`
   */
  write(board: BoardSlug, id: TaskId, params: WriteParams & WriteOptions, by: Actor): Promise<Edited>;
  /** Reassign a task; with `reclaim` its worker is stopped first, in one operation. @throws E_RUNNING, E_STATE */
  reassign(board: BoardSlug, id: TaskId, params: ReassignParams, by: Actor): Promise<Reassigned>;
  /** Delete a task with everything that belongs to it (4.9). @throws E_STATE, E_CONFLICT another version */
  remove(board: BoardSlug, id: TaskId, params: RemoveTaskParams, by: Actor): Promise<Removed>;
  /** Let the held children of a decomposition go. */
  promoteChildren(
    board: BoardSlug,
    id: TaskId,
    params: { readonly reason?: string | undefined; readonly dryRun?: boolean | undefined },
    by: Actor,
  ): Promise<ReleasedChildren>;
  /** Copy files into the attachments of a task: all or none. @throws E_INVALID no such file, E_TOO_LARGE */
  attach(
    board: BoardSlug,
    id: TaskId,
    files: readonly GivenFile[],
    by: Actor,
  ): Promise<{ readonly task: Task; readonly attachments: readonly Attachment[] }>;
  attachments(board: BoardSlug, id: TaskId): Promise<readonly Attachment[]>;
  /** One attachment and where its bytes are, inside the attachments folder after links are resolved. @throws E_NOT_FOUND */
  attachment(board: BoardSlug, attachment: number): Promise<{ readonly attachment: Attachment; readonly path: string }>;
  /** Remove row and file. @param id given: the attachment must be of this task. @throws E_NOT_FOUND */
  detach(
    board: BoardSlug,
    attachment: number,
    by: Actor,
    id?: TaskId,
  ): Promise<{ readonly task: Task; readonly attachment: Attachment }>;
  /** One run by its id. @throws E_NOT_FOUND */
  run(board: BoardSlug, run: RunId): Promise<Run>;
  /** Stop the worker of this very run and give its task back. @throws E_NOT_FOUND, E_STATE it has ended, E_WORKER_STUCK */
  endRun(board: BoardSlug, run: RunId, reason: string | undefined, by: Actor): Promise<{ readonly task: Task }>;
}
