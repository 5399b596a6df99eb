import type { AppError } from "../../lib/base/errors.js";
import type { Log } from "../../lib/base/log/log.js";
import type { Clock } from "../../lib/base/time/clock.js";
import type { StoreSpec } from "../store.js";
import { FileEngine } from "./engine.js";
import { FileHost, type FileStore } from "./host.js";
import { inlineConnection } from "./ops.js";
import { threadConnection } from "./thread-client.js";
import type { FileSystem } from "./wasm.js";

export type { FileStore } from "./host.js";

export interface FileOptions {
  /** `thread`: a long-lived owner, whose main loop must not stall. `inline`: tests, and commands that own the home for their own length. */
  readonly host: "inline" | "thread";
  readonly clock: Clock;
  readonly log: Log;
  /** Keep everything in memory (ephemeral sessions). The path is not touched. */
  readonly memory?: boolean;
  /** Look without the owner's lock: nothing is created or changed; a store that does not exist is empty. */
  readonly readonly?: boolean;
  /** Remember beside the file that it was made: once it is missing it is refused and not made again. */
  readonly marked?: boolean;
  /** `storage.cache_mb`; default 16 in a thread, 2 inline. */
  readonly cacheMb?: number;
  /** The disk broke a promise: what is stored is unknown, and the process must end now. The default throws on the next turn of the event loop. */
  readonly onFatal?: (error: AppError) => void;
  /** Tests: run every body twice and compare, so that effects outside the transaction are found. */
  readonly rehearse?: boolean;
  /** Tests: file functions that fail. Inline only. */
  readonly fileSystem?: FileSystem;
}

/**
 * The store in one SQLite file, for sessions and search. The caller holds the owner's lock, unless `readonly` or `memory`. The file is
 * opened at the first use, or by `ready`.
 *
 * @throws (from every method) E_STORE with `data.reason`: damaged, newer, foreign. The file is as it was.
 */
export function openFileStore(spec: StoreSpec, options: FileOptions): FileStore {
  const {
    memory = false,
    readonly = false,
    marked = false,
    rehearse = false,
    clock,
    log,
    onFatal = endProcess,
  } = options;
  const cacheMb = options.cacheMb ?? (options.host === "thread" ? 16 : 2);
  const facts = { ...spec, memory, readonly, rehearse, clock, log, onFatal };
  if (options.host === "thread")
    return new FileHost(threadConnection({ spec, memory, readonly, marked, cacheMb }, { clock, log }), facts);
  const disk = options.fileSystem;
  const engine = new FileEngine({
    spec,
    memory,
    readonly,
    marked,
    cacheMb,
    now: () => clock.now(),
    ...(disk ? { disk } : {}),
  });
  return new FileHost(inlineConnection(engine), facts);
}

/** Half-known state is worse than an end: the next start reads what is there. */
function endProcess(error: AppError): void {
  setImmediate(() => {
    throw error;
  });
}
