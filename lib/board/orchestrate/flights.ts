import type { BoardSlug, TaskId } from "../../base/units.js";

/** Model-backed operations of a board that may be under way at once (board part, 9.1). */
const PER_BOARD = 3;

/** Which tasks have an operation under way. */
export interface Flights {
  /** Take the place of a task; the function gives it back. A text: why it could not be taken. */
  take(board: BoardSlug, task: TaskId): (() => void) | string;
  /** Places left on a board. */
  free(board: BoardSlug): number;
  busy(board: BoardSlug, task: TaskId): boolean;
  /** Aborts when this process lets go of its boards. */
  readonly signal: AbortSignal;
  /** End what is under way; nothing of it is written. */
  close(): void;
}

export function createFlights(): Flights {
  const boards = new Map<BoardSlug, Set<TaskId>>();
  const closing = new AbortController();
  const of = (board: BoardSlug) => boards.get(board) ?? new Set<TaskId>();
  return {
    signal: closing.signal,
    close: () => closing.abort(new Error("the owner is stopping")),
    free: (board) => PER_BOARD - of(board).size,
    busy: (board, task) => of(board).has(task),
    take: (board, task) => {
      const tasks = of(board);
      if (tasks.has(task)) return "already in progress";
      if (tasks.size >= PER_BOARD) return "too many model calls in progress";
      tasks.add(task);
      boards.set(board, tasks);
      return () => {
        tasks.delete(task);
        if (tasks.size === 0) boards.delete(board);
      };
    },
  };
}
