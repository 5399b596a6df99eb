import type { AppError } from "../../lib/base/errors.js";
import type { Disk } from "../../lib/base/fs/disk.js";
import type { Ids } from "../../lib/base/ids.js";
import type { Log } from "../../lib/base/log/log.js";
import type { Clock } from "../../lib/base/time/clock.js";
import type { Ahead } from "./ahead.js";
import type { Pace } from "./pace.js";

/** How a store is opened. */
export interface OpenOptions {
  readonly disk: Disk;
  readonly clock: Clock;
  /** `thread`: a long-lived owner, whose main loop must not stall; always the real disk. `inline`: tests, and commands that own the home. */
  readonly host: "inline" | "thread";
  readonly log: Log;
  /** Look without the owner's lock: pure reads, nothing is created. A store that does not exist is empty. */
  readonly readonly?: boolean;
  /** Journal size at which a checkpoint is made (`storage.checkpoint_bytes`, default 1 MiB). */
  readonly checkpointBytes?: number;
  /** Long-lived owners checkpoint when idle and at close; short commands only by size. Default: `host === "thread"`. */
  readonly longLived?: boolean;
  /** Store ids and salts; default: random. */
  readonly ids?: Ids;
  /** What recovery found wrong with the files and could mend, in one sentence. A reader mends nothing and says the same. */
  readonly onRecovered?: (note: string) => void;
  /** The disk broke a promise and the process must end now; the default throws on the next turn of the event loop. */
  readonly onFatal?: (error: AppError) => void;
  /** `inline`: who waits for the syncs of the journal; default: the thread pool, for the main loop must not stall. */
  readonly pace?: Pace;
  /** `inline`: how far a journal is allocated ahead of its frames; default: `AHEAD`. */
  readonly ahead?: Ahead;
  /** Tests: run every body twice and compare, so that effects outside the transaction are found. */
  readonly rehearse?: boolean;
}
