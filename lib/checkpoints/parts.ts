import type { Mailbox } from "../base/async/mailbox.js";
import type { Disk } from "../base/fs/disk.js";
import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import type { Log } from "../base/log/log.js";
import type { Clock } from "../base/time/clock.js";
import type { EpochMs, Ms, SessionId } from "../base/units.js";
import type { Config } from "../contracts/config/config.js";
import type { PartialReason } from "../contracts/owner/checkpoints.js";
import { userHomeOf } from "../safety/paths/paths.js";
import type { CaptureOptions } from "./capture.js";
import { CHECKPOINTS } from "./keys.js";
import { type Manifest, namedPaths } from "./manifest.js";
import type { CheckpointStore, Project } from "./store.js";

/** What checkpoints are built on. */
export interface CheckpointDeps {
  readonly home: Home;
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Pick<Ids, "hex">;
  readonly disk: Disk;
  readonly log: Log;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Nothing is created: a process that only looks. */
  readonly readonly: boolean;
  /** A durable event of a session. */
  announce(session: SessionId, kind: string, data: Readonly<Record<string, unknown>>): Promise<void>;
  /** Most entries and most working time of a scan; default those of the core part, 24.2. */
  readonly bounds?: { readonly entries: number; readonly ms: number };
}

/** A turn that is changing a directory. */
export interface ChangingTurn {
  /** State before its first change. */
  readonly baseline: Manifest;
  /** Number of its first use. */
  readonly first: number;
  /** Until when it counts as running without a sign of life; undefined: until it is given back. */
  readonly until: Ms | undefined;
}

/** The open store with what is known of running turns. All work on it goes through the mailbox. */
export interface CheckpointParts {
  readonly deps: CheckpointDeps;
  readonly dir: string;
  readonly store: CheckpointStore;
  readonly mailbox: Mailbox;
  /** Directory -> turns. */
  readonly running: Map<string, Map<string, ChangingTurn>>;
  /** Checkpoint of a round: "turn round directory" -> id. */
  readonly rounds: Map<string, string>;
  /** Directories whose notice was given. */
  readonly told: Set<string>;
  /** Directories that were found to be too large, until when they are not looked at again. */
  readonly large: Map<string, { readonly why: "entries" | "time"; readonly until: Ms }>;
  /** Checkpoints that were dropped since contents were last collected. */
  dropped: number;
}

const MAX_ENTRIES = 50_000; // core part, 24.2
const MAX_SCAN_MS = 2_000; // core part, 24.2: of work, not by the clock on the wall
const MB = 1 << 20;
/** How long a directory that is too large is not looked through again. */
const LARGE_MS: Ms = 10 * 60_000;

/** Remember that a directory is too large, so that the next calls in it do not wait for the same answer. */
export function noteLarge({ large, deps }: CheckpointParts, directory: string, why: PartialReason | undefined): void {
  const until = deps.clock.mono() + LARGE_MS;
  if ((why === "entries" || why === "time") && !large.has(directory)) large.set(directory, { why, until });
}

function isLarge({ large, deps }: CheckpointParts, directory: string): "entries" | "time" | undefined {
  const known = large.get(directory);
  if (known !== undefined && known.until < deps.clock.mono()) large.delete(directory);
  return large.get(directory)?.why;
}

export interface CaptureHints {
  /** Relative paths that are looked at whatever rules say. */
  readonly named?: Iterable<string>;
  /** State of the newest checkpoint: what it names is looked at as well. */
  readonly known?: Manifest | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** How a directory is looked through. */
export function captureOptions(
  parts: CheckpointParts,
  directory: string,
  { named = [], known, signal }: CaptureHints,
): CaptureOptions {
  const { deps } = parts;
  const { config, clock, env, home, bounds } = deps;
  const tooLarge = isLarge(parts, directory);
  return {
    ...(tooLarge === undefined ? {} : { tooLarge }),
    root: directory,
    userHome: userHomeOf(env),
    never: [home.dir, home.root].filter((dir) => dir !== directory),
    named: new Set([...(known === undefined ? [] : namedPaths(known)), ...named]),
    known,
    maxFileBytes: config.get(CHECKPOINTS.maxFileSize) * MB,
    maxNewBytes: config.get(CHECKPOINTS.maxTotalSize) * MB,
    maxEntries: bounds?.entries ?? MAX_ENTRIES,
    maxMs: bounds?.ms ?? MAX_SCAN_MS,
    clock,
    signal,
  };
}

/** State of the newest checkpoint; a damaged one counts as none. */
export async function newestState(
  { store, deps }: CheckpointParts,
  project: Project | undefined,
): Promise<Manifest | undefined> {
  const head = project?.headers.at(-1);
  if (project === undefined || head === undefined) return undefined;
  try {
    return await store.manifest(project, head);
  } catch (error) {
    deps.log.warning("a checkpoint is damaged", { checkpoint: head.id, error: String(error) });
    return undefined;
  }
}

export const nowOf = ({ deps }: CheckpointParts): EpochMs => deps.clock.now();
