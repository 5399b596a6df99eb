import type { Clock } from "../base/clock.js";
import { toAppError } from "../base/errors.js";
import type { Log } from "../base/log.js";
import type { BoardSlug, Ms } from "../base/units.js";

/** Passes in a row that start nothing although they could (board part, 6.12). */
const STALLED_AFTER = 6;
const WARN_EVERY: Ms = 5 * 60_000;
/** A board whose store cannot be opened is tried again after this. */
const RETRY_BOARD: Ms = 300_000;

/** Watches the dispatcher itself: passes that start nothing, boards that cannot be used, warnings that are said once. */
export interface Health {
  /** Boards that are not set aside. */
  usable(boards: readonly BoardSlug[]): BoardSlug[];
  /** Work on each board in turn. One that fails is set aside with one message and does not hold up the others. */
  each<T>(boards: readonly BoardSlug[], work: (board: BoardSlug) => Promise<T>): Promise<T[]>;
  /** A ready loop is over. `idle`: a startable task met a free slot, and nothing was claimed. */
  passed(idle: boolean): void;
  /** Log a warning the first time that `key` comes up. */
  once(key: string, message: string): void;
  /** Try every board again, e.g. because its file has changed. */
  retry(): void;
  /** The diagnostic `dispatcher_stalled` holds. */
  readonly stalled: boolean;
}

export function createHealth(clock: Clock, log: Log): Health {
  const aside = new Map<BoardSlug, Ms>();
  const said = new Set<string>();
  let idlePasses = 0;
  let warnedAt: Ms | undefined;
  const warn = () => {
    if (warnedAt !== undefined && clock.mono() - warnedAt < WARN_EVERY) return;
    warnedAt = clock.mono();
    log.warning("ready tasks and free slots, but nothing starts", { passes: idlePasses });
  };
  const setAside = (board: BoardSlug, error: unknown) => {
    const { code, message } = toAppError(error);
    if (!aside.has(board)) log.warning("a board is skipped; it is tried again in 5 minutes", { board, code, message });
    aside.set(board, clock.mono() + RETRY_BOARD);
  };
  const isUsable = (board: BoardSlug) => (aside.get(board) ?? 0) <= clock.mono();
  return {
    usable: (boards) => boards.filter(isUsable),
    each: async (boards, work) => {
      const results = [];
      for (const board of boards) {
        if (!isUsable(board)) continue;
        try {
          results.push(await work(board));
          aside.delete(board);
        } catch (error) {
          setAside(board, error);
        }
      }
      return results;
    },
    passed: (idle) => {
      idlePasses = idle ? idlePasses + 1 : 0;
      if (idlePasses >= STALLED_AFTER) warn();
    },
    once: (key, message) => {
      if (said.has(key)) return;
      said.add(key);
      log.warning(message);
    },
    retry: () => aside.clear(),
    get stalled() {
      return idlePasses >= STALLED_AFTER;
    },
  };
}
