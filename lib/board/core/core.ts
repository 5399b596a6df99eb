import type { Query, Store, Tx } from "../../../storage/store.js";
import { linksOf } from "../../../storage/tables/board/links.js";
import { type TaskRow, toTask, toUsage } from "../../../storage/tables/board/rows.js";
import { usageOf } from "../../../storage/tables/board/runs.js";
import { getFull, getTask } from "../../../storage/tables/board/tasks.js";
import { AppError, assert } from "../../base/errors.js";
import { type SmallFile, smallFile } from "../../base/fs/small-file.js";
import { dropFile } from "../../base/fs/workspace-files.js";
import type { BoardSlug, EpochMs, TaskId } from "../../base/units.js";
import type { Actor, Task } from "../../contracts/board/board.js";
import type { BoardDeps } from "./deps.js";
import { type BoardGate, createGate } from "./gate.js";
import { type GuardedStore, guardStore, noBoard } from "./guarded-store.js";
import { KANBAN } from "./keys.js";
import { createLanes, type TaskLanes } from "./lanes.js";
import { withLine } from "./line-payload.js";
import { type BoardPlaces, boardPlaces, currentPath } from "./places.js";
import { createUsualKinds, type UsualKinds } from "./usual-kinds.js";

/** What every verb works with. */
export interface Core extends BoardDeps {
  /** Names this owner on the fences it raises: those of a dead owner do not hold others. */
  readonly instance: string;
  readonly lanes: TaskLanes;
  readonly gate: BoardGate;
  /** Boards that are being removed: nothing is claimed on them. */
  readonly leaving: Set<BoardSlug>;
  places(board: BoardSlug): BoardPlaces;
  readonly usualKinds: UsualKinds;
  /** Content of the file that `boards switch` writes. */
  readonly current: SmallFile;
  /** Store of a verb that changes an existing task: a board without tasks does not have one. */
  store(board: BoardSlug, id: string): Promise<Store>;
  /** Store of a reading verb; undefined when the board was never written. */
  reading(board: BoardSlug): Promise<Store | undefined>;
  /** Store of a verb that creates. Only `default` is made by it: a board that was removed meanwhile does not come back. @throws E_BOARD_NOT_FOUND */
  making(board: BoardSlug): Promise<Store>;
  /** Store of a board that is being made. */
  founding(board: BoardSlug): Promise<Store>;
  /** Aborts when the board is removed. */
  gone(board: BoardSlug): AbortSignal;
  /** The board was removed: its store is forgotten, and its followers hear the end. */
  left(board: BoardSlug): void;
  leaseSeconds(): number;
}

/** What finding a board and listing its tasks needs. */
export type BoardLookup = Pick<Core, "home" | "config" | "clock" | "current" | "reading" | "defaultBoardOf">;

/** When and by whom a transaction changes something; drawn before it. */
export interface Stamp {
  readonly at: EpochMs;
  readonly actor: Actor["kind"];
  readonly name: string;
  /** Key of the command line that asked for it. */
  readonly line?: string | undefined;
}

export function createCore(deps: BoardDeps, watch: (board: BoardSlug, store: Store) => void): Core {
  const stores = createHolder(deps, watch);
  const existing = async (board: BoardSlug, id: string) => {
    const store = await stores.open(board, "existing");
    if (store === undefined) throw board === "default" ? unknownTask(id) : noBoard(board);
    return store;
  };
  const founding = async (board: BoardSlug) => {
    const store = await stores.open(board, "create");
    assert(store !== undefined, "a store that is asked to be created is there");
    return store;
  };
  const usualKinds = createUsualKinds();
  let instance: string | undefined; // looking needs none, and chance takes milliseconds to load
  return {
    ...deps,
    get instance() {
      instance ??= deps.ids.hex(8);
      return instance;
    },
    lanes: createLanes(),
    gate: createGate(),
    leaving: new Set(),
    usualKinds,
    current: smallFile(currentPath(deps.home.root)),
    places: (board) => boardPlaces(deps.home.root, board, deps.env),
    store: existing,
    reading: (board) => stores.open(board, "existing"),
    making: (board) => (board === "default" ? founding(board) : existing(board, "")),
    founding,
    gone: stores.gone,
    left: (board) => {
      stores.left(board);
      usualKinds.forget(board);
    },
    leaseSeconds: () => deps.config.get(KANBAN.claimTtl),
  };
}

/** Stores as verbs see them, and the ends of boards. */
function createHolder(deps: BoardDeps, watch: (board: BoardSlug, store: Store) => void) {
  const known = new Map<BoardSlug, { readonly own: Store; readonly shown: GuardedStore }>();
  const ends = new Map<BoardSlug, AbortController>();
  return {
    open: async (board: BoardSlug, need: "existing" | "create"): Promise<Store | undefined> => {
      const own = await deps.stores(board, need);
      if (own === undefined) return undefined;
      const held = known.get(board);
      if (held?.own === own) return held.shown;
      const shown = guardStore(own, board);
      known.set(board, { own, shown });
      watch(board, shown);
      return shown;
    },
    gone: (board: BoardSlug): AbortSignal => {
      const end = ends.get(board) ?? new AbortController();
      ends.set(board, end);
      return end.signal;
    },
    left: (board: BoardSlug): void => {
      known.get(board)?.shown.leave();
      known.delete(board);
      ends.get(board)?.abort();
      ends.delete(board);
    },
  };
}

export const toStamp = (core: Pick<Core, "clock">, by: Actor): Stamp => ({
  at: core.clock.now(),
  actor: by.kind,
  name: by.name,
  line: by.line?.key,
});

export const SYSTEM: Actor = { kind: "system", name: "dispatcher" };

/** Where the ids of tasks are. */
export const TASKS_HINT = "agent kanban list shows the tasks";

/** Of a task that is not on this board. */
export const unknownTask = (id: string): AppError =>
  new AppError("E_NOT_FOUND", `no such task: ${id}`, { task: id, hint: TASKS_HINT });

/** Remove the claim file of a run that was closed: it exists while the run is open. */
export async function removeClaimFile(
  core: Pick<Core, "places">,
  board: BoardSlug,
  task: string,
  run: number | null | undefined,
): Promise<void> {
  if (run != null) await dropFile(core.places(board).claim(task as TaskId, run)); // ids of rows
}

/** The stored row. @throws E_NOT_FOUND */
export async function mustTask(q: Query, id: string): Promise<TaskRow> {
  const row = await getTask(q, id);
  if (row === undefined) throw unknownTask(id);
  return row;
}

/** The caller saw another version of the task than the present one. @param expected undefined: any version will do. @throws E_CONFLICT */
export function checkVersion(task: Pick<TaskRow, "id" | "version">, expected: number | undefined): void {
  if (expected === undefined || task.version === expected) return;
  const text = `${task.id} has changed: its version is ${task.version}, not ${expected}`;
  throw new AppError("E_CONFLICT", text, { version: task.version, expected_version: expected });
}

/** The task as JSON has it. @throws E_NOT_FOUND */
export async function mustView(q: Query, id: string): Promise<Task> {
  const row = await getFull(q, id);
  if (row === undefined) throw unknownTask(id);
  return toTask(row, await linksOf(q, row.id), toUsage(await usageOf(q, row.id)));
}

/** Append an event about a task that changes no status. */
export function appendTaskEvent(
  tx: Tx,
  stamp: Stamp,
  about: { readonly kind: string; readonly task: string; readonly run?: number | null },
  payload: Readonly<Record<string, unknown>>,
): void {
  tx.emit({
    kind: about.kind,
    at: stamp.at,
    task: about.task,
    ...(about.run == null ? {} : { run: about.run }),
    actor: stamp.actor,
    payload: withLine(stamp, payload),
  });
}

/** Counters and marks of earlier failures, cleared by complete, unblock, promote, reclaim, reopen and a changed assignee. */
export const RESET = {
  consecutive_failures: 0,
  last_failure_error: null,
  last_failure_class: null,
  not_before: null,
  guard_reason: null,
  guard_until: null,
} as const;

/** Marks of waiting, cleared when a task is set free. */
export const FREE = { ...RESET, block_kind: null, scheduled_at: null, hold: 0 } as const;

/** One task. @throws E_NOT_FOUND */
export async function readTask(core: Core, board: BoardSlug, id: TaskId): Promise<Task> {
  const store = await core.reading(board);
  if (store === undefined) throw unknownTask(id);
  return store.read((q) => mustView(q, id));
}
