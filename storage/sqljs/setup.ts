import { AppError } from "../../lib/base/errors.js";
import { randomIds } from "../../lib/base/ids.js";
import { refused } from "../errors.js";
import { newestSchema, STORE_DDL, stepsBetween } from "../migrate.js";
import type { Migration, StoredEvent, StoreSpec } from "../store.js";
import { type KnownSegment, removeOld } from "./checkpoint.js";
import { type Checkpoint, type Current, namedCheckpoints, restoreHint, type StoreFiles, storeFiles } from "./files.js";
import { type Library, loadLibrary } from "./library.js";
import { Memory } from "./memory.js";
import { dropOlder, keepBefore } from "./older.js";
import type { OpenOptions } from "./options.js";
import { PRODUCT } from "./product.js";
import type { Recovered, RecoverySetup } from "./recovered.js";
import { recover, withLog } from "./recovery.js";
import { allowed, type Sabotage } from "./sabotage.js";

/** What an engine is made of. */
export interface EngineDeps
  extends Pick<OpenOptions, "disk" | "clock" | "log" | "readonly" | "checkpointBytes" | "ids" | "pace" | "ahead"> {
  readonly spec: StoreSpec;
  readonly longLived: boolean;
  readonly sabotage?: Sabotage;
  /** Run the function part of a migration over the memory; its statements have run. */
  readonly apply: (migration: Migration, memory: Memory) => Promise<void>;
  /** What recovery found wrong and could mend, in one sentence. */
  readonly onRecovered?: (note: string) => void;
  /** Events of a frame that is on the disk, in order. */
  readonly onEvents: (events: readonly StoredEvent[]) => void;
}

/** A store in memory, with what its next checkpoint must know. */
export interface Loaded {
  readonly memory: Memory;
  readonly files: StoreFiles;
  readonly library: Library;
  readonly store: string;
  readonly schema: number;
  readonly seq: number;
  readonly db: Checkpoint | undefined;
  readonly prev: Checkpoint | undefined;
  readonly tail: Recovered["tail"];
  /** Segments behind the checkpoint, the tail last. */
  readonly segments: readonly KnownSegment[];
  readonly transactions: number;
  readonly journalBytes: number;
  /** Why a checkpoint has to be made before the first write, or undefined. */
  readonly due: string | undefined;
  readonly purge: boolean;
}

/**
 * Bring a store into memory: recovered, created or migrated.
 *
 * @param again this process has had it open already
 */
export async function load(deps: EngineDeps, again: boolean): Promise<Loaded> {
  const library = await loadLibrary();
  const files = storeFiles(deps.disk, deps.spec.path);
  const setup: RecoverySetup = {
    spec: deps.spec,
    files,
    library,
    mode: deps.readonly === true ? "reader" : "owner",
    sabotage: allowed(deps.sabotage),
    migrate: (memory, from, until) => migrate(deps, memory, from, until),
  };
  const recovered = deps.readonly === true ? await readSteadily(setup) : await recover(setup);
  return recovered ? upgrade(deps, setup, recovered, again) : create(deps, setup);
}

const READ_ATTEMPTS = 20;

/**
 * Without the lock the owner may make a checkpoint meanwhile: then what was read is no one state, and it is read again. So it is after an error that was not
 * there before: a reader may pass a place of the journal before a frame comes there, and see the next frame behind it. At the second look the first is there.
 */
async function readSteadily(setup: RecoverySetup): Promise<Recovered | undefined> {
  let known: string | undefined;
  for (let attempt = 1; ; attempt++) {
    const before = setup.files.disk.readFile(setup.files.current);
    const [found, error] = await attemptRead(setup);
    const after = setup.files.disk.readFile(setup.files.current);
    const sure = error === undefined || String(error) === known;
    if ((before?.toString() === after?.toString() && sure) || attempt === READ_ATTEMPTS) {
      if (error !== undefined) throw error;
      return found;
    }
    known = String(error);
    found?.memory.close();
  }
}

async function attemptRead(setup: RecoverySetup): Promise<[Recovered | undefined, unknown]> {
  try {
    return [await recover(setup), undefined];
  } catch (error) {
    return [undefined, error];
  }
}

async function upgrade(deps: EngineDeps, setup: RecoverySetup, found: Recovered, again: boolean): Promise<Loaded> {
  const { files, library } = setup;
  const newest = newestSchema(deps.spec.migrations);
  try {
    if (found.schema < newest) {
      if (deps.readonly !== true) keepBefore(files, asItWas(files, found), found.schema, deps.clock.now());
      await migrate(deps, found.memory, found.schema, newest);
      if (found.schema === 0) dropOlder(found.memory);
    }
  } catch (error) {
    found.memory.close();
    throw error;
  }
  const current = namedCheckpoints(files);
  const due = mustCopy(found, {
    newest,
    current,
    sqlite: library.sqlite,
    unclean: !again && deps.disk.readFile(files.inUse) !== undefined,
  });
  if (found.base.note !== undefined) {
    deps.log.warning(`store recovered: ${found.base.note}`, { store: deps.spec.name });
    if (found.base.adopted !== true) deps.onRecovered?.(found.base.note);
  }
  if (current?.purged === true && deps.readonly !== true) removeOld(files, found.segments);
  const { memory, store, seq, tail, segments, transactions, journalBytes, purge } = found;
  return {
    memory,
    files,
    library,
    store,
    seq,
    tail,
    segments,
    transactions,
    journalBytes,
    purge,
    due,
    schema: newest,
    db: found.base.db,
    prev: found.base.prev,
  };
}

/** A board of before is kept as its file was: in memory its tables have other names by now. */
function asItWas(files: StoreFiles, found: Recovered): Buffer {
  const kept = found.schema === 0 ? files.disk.readFile(files.db) : undefined;
  return kept === undefined ? found.memory.export() : withLog(files, kept);
}

/**
 * Empty stores that this process has created, as files, by their migrations. The first store of a kind runs every step; each later one is a copy of it with an
 * identity of its own: 1 ms in place of 10.
 */
const EMPTY_STORES = new WeakMap<readonly Migration[], Uint8Array>();

async function create(deps: EngineDeps, { files, library }: RecoverySetup): Promise<Loaded> {
  const { kind, migrations } = deps.spec;
  const newest = newestSchema(migrations);
  const empty = EMPTY_STORES.get(migrations);
  const memory = new Memory(library.sql, empty && new Uint8Array(empty)); // copied: the library writes into its bytes
  try {
    const store = (deps.ids ?? randomIds).hex(16);
    if (empty === undefined) {
      memory.exec(STORE_DDL);
      memory.all("INSERT INTO _store (id, kind, schema, seq, segment_version) VALUES (?, ?, 0, 0, 1)", [store, kind]);
      await migrate(deps, memory, 0, newest);
      EMPTY_STORES.set(migrations, memory.export());
    } else {
      memory.all("UPDATE _store SET id = ?, kind = ?", [store, kind]);
    }
    const none = {
      db: undefined,
      prev: undefined,
      tail: undefined,
      segments: [],
      purge: false,
      seq: 0,
      transactions: 0,
      journalBytes: 0,
    };
    return { memory, files, library, store, schema: newest, due: "new", ...none };
  } catch (error) {
    memory.close();
    throw error;
  }
}

/** In memory only: a migration is never journalled, it becomes durable with the checkpoint that follows. */
async function migrate(deps: EngineDeps, memory: Memory, from: number, until: number): Promise<void> {
  for (const step of stepsBetween(deps.spec.migrations, from, until)) {
    memory.begin();
    try {
      for (const sql of step.statements) memory.exec(sql);
      if (step.apply) await deps.apply(step, memory);
      memory.all("UPDATE _store SET schema = ?", [step.to]);
      memory.commit();
    } catch (error) {
      memory.rollback();
      throw from === 0 ? error : unreachable(deps.spec.path, step.to, error);
    }
    memory.forget();
  }
}

/** Its tables are not those of the layout that it names. */
function unreachable(path: string, to: number, cause: unknown): AppError {
  if (cause instanceof AppError && cause.code === "E_STORE") return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return refused("damaged", `cannot upgrade ${path} to schema ${to}: ${why}`, {
    path,
    schema: to,
    hint: restoreHint,
  });
}

/** Why a recovered store needs a checkpoint before its first write, in one word, or undefined. */
function mustCopy(
  found: Recovered,
  now: { newest: number; current: Current | undefined; sqlite: string; unclean: boolean },
): string | undefined {
  if (found.base.note !== undefined) return "recovered";
  if (found.schema < now.newest) return "migrated";
  if (found.purge) return "purge";
  if (now.unclean) return "unclean"; // after a failed fsync the page cache shows what no later fsync writes: into new files with it
  if (now.current?.product !== PRODUCT || now.current.sqlite !== now.sqlite) return "version";
  return found.tail ? undefined : "journal";
}
