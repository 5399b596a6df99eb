import type { Clock } from "../../lib/base/time/clock.js";
import type { Ms } from "../../lib/base/units.js";

/** One sync of a journal, from its beginning to its end. */
export interface SyncTurn {
  /** The thread waits for it and does nothing else; otherwise the thread pool does it. */
  readonly here: boolean;
  /** It is over, and was a good one. */
  over(): void;
}

/** Says who waits for a sync. */
export interface Pace {
  /** @param bytes What the sync has to bring to the disk */
  begin(bytes: number): SyncTurn;
}

/** Syncs in a row that must have been quick before the thread waits for one: a disk that is busy now and then does not get as far. */
export const QUICK_RUN = 16;
/**
 * A sync of so much, as the thread itself has waited for it, is quick. To give it to the pool and hear of its end takes two wake-ups, measured as 0.3 to
 * 0.5 ms each on a shared machine whose disk takes 0.2 ms for a frame. Elsewhere a disk may be slower by itself: this is a choice between the two.
 */
export const QUICK_MS: Ms = 2;
/** The same for a sync of the pool: the thread hears of its end only after what it does meanwhile, a portion of requests (1 to 4 ms). */
export const QUICK_IN_POOL_MS: Ms = 8;
/** A frame of more takes a disk of 100 MB/s longer than it may. 32 creates of a task are 30 KB. */
export const QUICK_BYTES = 128 << 10;
/** After a slow sync the thread waits for none until so many times its length has gone by: it spends at most a hundredth of its time on slow ones. */
export const REST_TIMES = 100;

/**
 * Lets a thread wait for the syncs of its journals itself as long as the disk is quick. What else the thread has to do, for other stores too,
 * waits for no longer than `QUICK_MS` then. That a disk will stall is not known beforehand: all wait for the first slow sync until it ends,
 * whatever it takes. It is the only one before `QUICK_RUN` quick ones in a row, and before a hundred times its length, has gone by.
 */
export class QuickPace implements Pace {
  readonly #clock: Pick<Clock, "mono">;
  #quick = 0;
  #restUntil: Ms | undefined;

  constructor(clock: Pick<Clock, "mono">) {
    this.#clock = clock;
  }

  begin(bytes: number): SyncTurn {
    const began = this.#clock.mono();
    const rested = this.#restUntil === undefined || began >= this.#restUntil;
    const here = rested && this.#quick >= QUICK_RUN && bytes <= QUICK_BYTES;
    return { here, over: () => this.#learn(here, this.#clock.mono() - began) };
  }

  #learn(here: boolean, took: Ms): void {
    if (took <= (here ? QUICK_MS : QUICK_IN_POOL_MS)) {
      this.#quick += 1;
      return;
    }
    this.#quick = 0;
    if (here) this.#restUntil = this.#clock.mono() + took * REST_TIMES;
  }
}

/** The thread waits for no sync: what has a screen, or a caller that is not to stall. */
export const poolPace: Pace = { begin: () => ({ here: false, over: () => undefined }) };
