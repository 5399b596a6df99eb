import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { BoardSlug, EpochMs, Ms } from "../../base/units.js";

/** Passes in a row that start nothing although they could (board part, 6.12). */
const STALLED_AFTER = 6;
const WARN_EVERY: Ms = 5 * 60_000;
/** A board whose store cannot be opened is tried again after this. */
const RETRY_BOARD: Ms = 300_000;

export interface HealthDeps {
  readonly clock: Clock;
  readonly log: Log;
  /** When the file of a board's store was changed; undefined without a store. */
  readonly changedAt: (board: BoardSlug) => Promise<EpochMs | undefined>;
}

/** Watches the dispatcher itself: passes that start nothing, boards that cannot be used, warnings that are said once. */
export interface Health {
  /** Boards that are not set aside. */
  usable(boards: readonly BoardSlug[]): Promise<BoardSlug[]>;
  /**
   * Work on each board in turn. One that fails does not hold up the others; one whose store cannot be used is set aside with one message
   * until its file changes, at most for 5 minutes.
   */
  each<T>(boards: readonly BoardSlug[], work: (board: BoardSlug) => Promise<T>): Promise<T[]>;
  /** A ready loop is over. `idle`: a startable task met a free slot, and nothing was claimed. */
  passed(idle: boolean): void;
  /** Log a warning the first time that `key` comes up. */
  once(key: string, message: string): void;
  /** The diagnostic `dispatcher_stalled` holds. */
  readonly stalled: boolean;
}

export function createHealth({ clock, log, changedAt }: HealthDeps): Health {
  const aside = new Map<BoardSlug, { readonly until: Ms; readonly file: EpochMs | undefined }>();
  const said = new Set<string>();
  let idlePasses = 0;
  let warnedAt: Ms | undefined;
  const warn = () => {
    if (warnedAt !== undefined && clock.mono() - warnedAt < WARN_EVERY) return;
    warnedAt = clock.mono();
    log.warning("ready tasks and free slots, but nothing starts", { passes: idlePasses });
  };
  const failures = new Map<BoardSlug, { readonly what: string; readonly at: Ms }>();
  const failed = async (board: BoardSlug, error: unknown) => {
    const { code, message } = toAppError(error);
    if (code === "E_BOARD_NOT_FOUND") return; // it was removed while the pass was at it
    const before = failures.get(board);
    const again = before?.what === `${code} ${message}` && clock.mono() - before.at < WARN_EVERY;
    if (!aside.has(board) && !again) {
      failures.set(board, { what: `${code} ${message}`, at: clock.mono() });
      log.warning("the dispatcher cannot process a board", { board, code, message });
    }
    if (code === "E_STORE") aside.set(board, { until: clock.mono() + RETRY_BOARD, file: await changedAt(board) });
  };
  const isUsable = async (board: BoardSlug) => {
    const kept = aside.get(board);
    return kept === undefined || kept.until <= clock.mono() || kept.file !== (await changedAt(board));
  };
  return {
    usable: async (boards) => {
      const usable = [];
      for (const board of boards) if (await isUsable(board)) usable.push(board);
      return usable;
    },
    each: async (boards, work) => {
      const results = [];
      for (const board of boards) {
        if (!(await isUsable(board))) continue;
        try {
          results.push(await work(board));
          aside.delete(board);
        } catch (error) {
          await failed(board, error);
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
    get stalled() {
      return idlePasses >= STALLED_AFTER;
    },
  };
}
