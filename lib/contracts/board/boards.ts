import type { BoardSlug, UnixSeconds } from "../../base/units.js";
import type { Actor, BoardRecord, Status } from "./board.js";

export interface NewBoard {
  readonly slug: string;
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly icon?: string | undefined;
  readonly color?: string | undefined;
  readonly default_workdir?: string | undefined;
  readonly switch?: boolean | undefined;
}

export interface ListedBoard extends BoardRecord {
  readonly store: string;
  readonly is_current: boolean;
  readonly counts: Partial<Record<Status, number>>;
  readonly total: number;
  /** Why the store cannot be opened; absent when it can. */
  readonly error?: string;
  /** Of an archived board: the name by which it is restored, and since when it is archived. */
  readonly archived_name?: string;
  readonly archived_at?: UnixSeconds;
}

/** Settings that a person changes. What is left out stays; an empty text and null clear. */
export interface BoardChanges {
  readonly name?: string | undefined;
  readonly description?: string | undefined;
  readonly icon?: string | undefined;
  readonly color?: string | undefined;
  readonly default_workdir?: string | undefined;
  readonly orchestration?: "auto" | "manual" | null | undefined;
  readonly max_in_progress?: number | null | undefined;
}

export interface RemovedBoard {
  readonly slug: BoardSlug;
  readonly action: "archived" | "deleted";
  /** Directory of the archived board; null when it was deleted. */
  readonly new_path: string | null;
  readonly current: BoardSlug;
}

export interface Exported {
  readonly slug: BoardSlug;
  readonly path: string;
  readonly bytes: number;
  readonly tasks: number;
  readonly attachments: number;
  /** What could not be put in, one sentence each. */
  readonly warnings: readonly string[];
}

export interface Imported {
  readonly board: ListedBoard;
  readonly tasks: number;
  readonly attachments: number;
  readonly warnings: readonly string[];
}

/** Boards as a whole (board part, 11). */
export interface BoardsApi {
  /** Banner of a list: the number of other boards, and whether this one is paused. */
  banner(board: BoardSlug): Promise<{ others: number; paused: boolean; reason: string | null }>;
  /** All boards, `default` first; with `archived` also those that can be restored. */
  boards(options?: { archived?: boolean }): Promise<readonly ListedBoard[]>;
  board(board: BoardSlug): Promise<ListedBoard>;
  /** Create the store of a board if it does not exist. Returns the profiles. */
  init(board: BoardSlug, by: Actor): Promise<ListedBoard & { readonly profiles: readonly string[] }>;
  createBoard(params: NewBoard, by: Actor): Promise<{ board: ListedBoard; created: boolean }>;
  /** Change settings. @returns the keys that changed @throws E_INVALID */
  setBoard(
    board: BoardSlug,
    changes: BoardChanges,
    by: Actor,
  ): Promise<{ board: ListedBoard; changed: readonly string[] }>;
  switchBoard(slug: string): Promise<BoardSlug>;
  pause(board: BoardSlug, params: { reason?: string | undefined; now?: boolean }, by: Actor): Promise<ListedBoard>;
  resume(board: BoardSlug, by: Actor): Promise<ListedBoard>;
  /**
   * Archive a board, or delete it for good. Its workers end first. A crash leaves it there or archived.
   *
   * @throws E_INVALID for `default`, E_BOARD_NOT_FOUND, E_BOARD_BUSY with running tasks unless `force`, E_WORKER_STUCK
   */
  removeBoard(slug: string, params: { delete?: boolean; force?: boolean }, by: Actor): Promise<RemovedBoard>;
  /** Bring back an archived board by its archived name, or the newest one of a slug. @throws E_BOARD_NOT_FOUND, E_CONFLICT the slug is taken */
  restoreBoard(
    given: string,
    params: { as?: string | undefined },
    by: Actor,
  ): Promise<{ board: ListedBoard; warnings: readonly string[] }>;
  /**
   * Write a board into a gzip tar (11.4), from one state, while it works on.
   *
   * @param params.path absolute file, or a directory that gets a file named after the board and the time
   * @throws E_BOARD_NOT_FOUND, E_STORE
   */
  exportBoard(board: BoardSlug, params: { path: string; logs?: boolean }): Promise<Exported>;
  /** Make a new board from such a file, or nothing at all. It is paused. @throws E_INVALID the archive is refused; E_CONFLICT the slug is taken */
  importBoard(path: string, params: { as?: string | undefined }, by: Actor): Promise<Imported>;
}
