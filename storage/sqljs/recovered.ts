import type { StoreSpec } from "../store.js";
import type { Base } from "./base.js";
import type { KnownSegment } from "./checkpoint.js";
import type { StoreFiles } from "./files.js";
import type { Library } from "./library.js";
import type { Memory } from "./memory.js";
import type { Dictionary } from "./payload.js";
import type { Sabotage } from "./sabotage.js";
import type { SegmentHead } from "./segment.js";

/** How a store is looked at: `owner` may repair, `reader` writes nothing. */
export type Mode = "owner" | "reader";

/** What recovery works with. */
export interface RecoverySetup {
  readonly spec: StoreSpec;
  readonly files: StoreFiles;
  readonly library: Library;
  readonly mode: Mode;
  readonly sabotage: Sabotage;
  /** Bring `memory` from its schema to `until`. */
  readonly migrate: (memory: Memory, from: number, until: number) => Promise<void>;
}

/** A store as its files tell it. */
export interface Recovered {
  readonly memory: Memory;
  readonly store: string;
  readonly schema: number;
  readonly base: Base;
  /** Newest frame; 0 without frames. */
  readonly seq: number;
  /** Segment to go on with, if its head fits. */
  readonly tail: Tail | undefined;
  /** Segments behind the checkpoint, the tail last. */
  readonly segments: readonly KnownSegment[];
  readonly journalBytes: number;
  readonly transactions: number;
  /** A purge is in the journal: the files that held what it removed have to go. */
  readonly purge: boolean;
}

export interface Tail {
  readonly number: number;
  readonly head: SegmentHead;
  readonly size: number;
  readonly dictionary: Dictionary;
}
