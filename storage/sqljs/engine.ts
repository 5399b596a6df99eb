import { AppError, systemCode } from "../../lib/base/errors.js";
import { randomIds } from "../../lib/base/ids.js";
import type { Ms } from "../../lib/base/units.js";
import { appendFailed, refused } from "../errors.js";
import type { Closing, StoredEvent } from "../store.js";
import { AHEAD, type Ahead } from "./ahead.js";
import {
  identify,
  type Kept,
  name,
  OtherOwner,
  type Plan,
  removeOld,
  removeSegments,
  writeNext,
} from "./checkpoint.js";
import { listSegments, restoreHint } from "./files.js";
import { Gate } from "./gate.js";
import { Journal } from "./journal.js";
import type { Memory } from "./memory.js";
import { poolPace } from "./pace.js";
import { PRODUCT } from "./product.js";
import { allowed, type Sabotage } from "./sabotage.js";
import { Segment, type SegmentHead } from "./segment.js";
import { type EngineDeps, type Loaded, load } from "./setup.js";
import { Transactions } from "./transactions.js";

const JOURNAL_MAX = 48 << 20;
const TRANSACTIONS_MAX = 2_000;
const IDLE_MS = 30_000;
/** A journal of so few bytes is replayed in a moment; what writes a line every minute does not have the whole store written as often. */
const SMALL_BYTES = 16 << 10;
const SMALL_EVERY_MS = 10 * 60_000;
const CHECKPOINT_BYTES = 1 << 20;
const NOTHING = { db: undefined, current: undefined };

/**
 * One store in memory, its journal on the disk. Statements are synchronous; `enter` keeps one body open at a time, and a caller that shows what he
 * has read waits for `settled` first.
 */
export class Engine {
  /** The open transaction; only who holds the turn uses it. */
  readonly tx: Transactions;
  readonly #deps: EngineDeps;
  readonly #sabotage: Sabotage;
  readonly #gate: Gate;
  #loaded: Loaded | undefined;
  #journal: Journal | undefined;
  #kept: Pick<Plan, "db" | "prev" | "ours" | "segments"> = {
    db: undefined,
    prev: undefined,
    ours: NOTHING,
    segments: [],
  };
  /** Set for good by `close` or a broken promise of the disk. */
  #ended: AppError | undefined;
  #checkpointing: Promise<void> | undefined;
  #purgeDue = false;
  /** A checkpoint waits for its turn. */
  #asked = false;
  /** The mark that the store is open was made by this engine. */
  #inUse = false;
  #cancelIdle: () => void = () => undefined;
  #checkpointedAt: Ms | undefined;
  readonly #onFatal: (error: AppError) => void;

  private constructor(deps: EngineDeps, onFatal: (error: AppError) => void) {
    this.#deps = deps;
    this.#onFatal = onFatal;
    this.#sabotage = allowed(deps.sabotage);
    this.#gate = new Gate(this.#sabotage.noMutex === true);
    this.tx = new Transactions({
      name: deps.spec.name,
      readonly: deps.readonly === true,
      now: () => deps.clock.now(),
      memory: () => this.#memory(),
      journal: () => this.#writable(),
      settled: () => this.settled(),
      purging: () => {
        this.#purgeDue = true;
      },
    });
  }

  /** @throws E_STORE with `data.reason`; the files are as they were */
  static async open(deps: EngineDeps, onFatal: (error: AppError) => void): Promise<Engine> {
    const engine = new Engine(deps, onFatal);
    await engine.#load();
    return engine;
  }

  /** Wait for the turn; resolves with the function that ends it. The store is loaded then. */
  async enter(): Promise<() => void> {
    const leave = await this.#gate.enter();
    try {
      if (this.#ended) throw this.#ended;
      if (!this.#loaded) await this.#load();
      return leave;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** The turn without waiting, or undefined when it has to be waited for. */
  enterNow(): (() => void) | undefined {
    return this.#gate.free && this.#loaded && !this.#ended ? this.#gate.enterNow() : undefined;
  }

  /** Resolves when everything that memory holds is on the disk: only then may it be shown. */
  async settled(): Promise<void> {
    if (this.#ended) throw this.#ended;
    await this.#journal?.latest();
  }

  /** SQLite file of the present state; only between transactions. */
  export(): Buffer {
    return this.#stamped();
  }

  /** Newest frame in memory that is on the disk or on its way. */
  get seq(): number {
    return this.#journal?.seq ?? this.#loaded?.seq ?? 0;
  }

  /** Give the journal's content a checkpoint. Resolves when it has its name; a full disk gives up and changes nothing. */
  async checkpoint(): Promise<void> {
    for (;;) {
      const leave = await this.enter();
      if (this.#checkpointing === undefined) {
        await this.#told(this.#checkpointInTurn(leave));
        return;
      }
      leave();
      await this.#checkpointing;
    }
  }

  /** Release the files. Long-lived owners leave a fresh checkpoint, unless the files are to stay untouched. */
  async close(how: Closing = "checkpoint"): Promise<void> {
    this.#cancelIdle();
    if (this.#ended) {
      await this.#checkpointing; // the caller may give the home to another process after this
      return;
    }
    const leave = await this.#gate.enter();
    try {
      await this.#lastWork(how);
      if (!this.#ended) this.#endedWell();
    } finally {
      this.#end(refused("closed", `${this.#deps.spec.name} is closed`, { store: this.#deps.spec.name }));
      leave();
    }
  }

  /** What can no longer be written was reported to those who asked for it; the journal holds the rest. */
  async #lastWork(how: Closing): Promise<void> {
    try {
      await this.#journal?.latest();
      await this.#checkpointing;
      if (how === "checkpoint" && this.#deps.longLived && (this.#journal?.transactions ?? 0) > 0)
        await this.#told(this.#checkpointInTurn(() => undefined));
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#deps.log.warning("closed without a checkpoint", { store: this.#deps.spec.name, why });
    }
  }

  #memory(): Memory {
    if (this.#ended) throw this.#ended;
    if (!this.#loaded) throw new AppError("E_STORE", `${this.#deps.spec.name} is not loaded`);
    return this.#loaded.memory;
  }

  #writable(): Journal {
    if (!this.#journal) throw refused("readonly", `${this.#deps.spec.name} is open read-only`);
    return this.#journal;
  }

  async #load(): Promise<void> {
    await this.#checkpointing;
    const loaded = await this.#told(load(this.#deps, this.#inUse));
    this.#loaded = loaded;
    this.#kept = { db: loaded.db, prev: loaded.prev, ours: identify(loaded.files), segments: [] };
    if (this.#deps.readonly === true) return;
    try {
      await this.#told(this.#startJournal(loaded));
    } catch (error) {
      this.#unload();
      throw error;
    }
  }

  /** An error of the disk in the form that callers know. */
  async #told<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      const { name, path } = this.#deps.spec;
      if (systemCode(error) === "EISDIR")
        throw refused("damaged", `${path} or its journal is a directory`, { path, hint: restoreHint });
      throw error instanceof AppError || systemCode(error) === undefined ? error : appendFailed(name, error);
    }
  }

  async #startJournal(loaded: Loaded): Promise<void> {
    const { disk, spec } = this.#deps;
    disk.mkdir(loaded.files.dir);
    if (!this.#inUse) disk.open(loaded.files.inUse, "create").close();
    this.#inUse = true;
    const { tail } = loaded;
    const resumed = tail && loaded.due === undefined;
    const segment = resumed
      ? Segment.resume(disk, loaded.files.segment(tail.number), tail, this.#ahead())
      : this.#newSegment(loaded.seq);
    const since = resumed
      ? { transactions: loaded.transactions, bytes: loaded.journalBytes }
      : { transactions: 0, bytes: segment.size };
    const start = { segment, seq: loaded.seq, ...since, pace: this.#deps.pace ?? poolPace };
    this.#journal = new Journal(
      spec.name,
      start,
      { durable: (e) => this.#durable(e), lost: (e) => this.#lost(e), fatal: (e) => this.#fatal(e) },
      this.#sabotage,
    );
    const known = loaded.segments;
    this.#kept = {
      ...this.#kept,
      segments: resumed ? known : [...known, { number: segment.head.segment, first: segment.head.first }],
    };
    if (loaded.due === undefined) return;
    this.#purgeDue = loaded.purge;
    await this.#finish(this.#plan(this.#stamped()));
    // The log of a file that was taken over is in the new one; other tools would replay it into that once more.
    for (const rest of ["-wal", "-shm"]) disk.remove(`${loaded.files.db}${rest}`);
  }

  #newSegment(seq: number): Segment {
    const { disk, ids = randomIds } = this.#deps;
    const loaded = this.#state();
    const number = 1 + Math.max(0, ...listSegments(loaded.files));
    const head: SegmentHead = {
      v: 1,
      store: loaded.store,
      segment: number,
      first: seq + 1,
      salt: Number.parseInt(ids.hex(4), 16),
      product: PRODUCT,
      sqlite: loaded.library.sqlite,
      schema: loaded.schema,
    };
    return Segment.create(disk, { dir: loaded.files.dir, path: loaded.files.segment(number) }, head, this.#ahead());
  }

  #ahead(): Ahead {
    return { ...(this.#deps.ahead ?? AHEAD), over: this.#sabotage.padOver === true };
  }

  #state(): Loaded {
    if (!this.#loaded) throw new AppError("E_STORE", `${this.#deps.spec.name} is not loaded`);
    return this.#loaded;
  }

  /** The row about the store is brought up to date outside the journal: it describes the file, not the state. */
  #stamped(): Buffer {
    const memory = this.#memory();
    memory.all("UPDATE _store SET seq = ?", [this.seq]);
    return memory.export();
  }

  #plan(bytes: Buffer): Plan {
    const { store, schema, files, library } = this.#state();
    const about = { store, schema, product: PRODUCT, sqlite: library.sqlite };
    return { files, bytes, seq: this.seq, purge: this.#purgeDue, about, ...this.#kept };
  }

  /** The pause is the export: the rest goes on beside new commits. `leave` is called when they may begin. */
  async #checkpointInTurn(leave: () => void): Promise<void> {
    let work: Promise<void>;
    try {
      const journal = this.#writable();
      await journal.latest();
      const bytes = this.#stamped();
      const segment = this.#newSegment(journal.seq);
      journal.rotate(segment);
      this.#checkpointedAt = this.#deps.clock.mono();
      this.#kept = {
        ...this.#kept,
        segments: [...this.#kept.segments, { number: segment.head.segment, first: segment.head.first }],
      };
      work = this.#finish(this.#plan(bytes));
      this.#checkpointing = this.#settle(work);
    } finally {
      leave();
    }
    await work;
  }

  async #settle(work: Promise<void>): Promise<void> {
    try {
      await work;
    } catch {
      /* ok to lose: who asked for the checkpoint awaits `work` itself; here only its end counts. */
    } finally {
      this.#checkpointing = undefined;
    }
  }

  async #finish(plan: Plan): Promise<void> {
    if (this.#sabotage.removeEarly === true) removeSegments(plan, { seq: plan.seq, bytes: 0, crc32: 0, change: 0 });
    const written = await writeNext(plan);
    if (this.#ended) throw this.#ended;
    const kept = this.#named(plan, written);
    this.#kept = { ...kept, segments: removeSegments({ ...plan, segments: this.#kept.segments }, kept.prev) };
    if (plan.purge) removeOld(plan.files, this.#kept.segments);
    else plan.files.disk.syncDir(plan.files.dir);
    if (plan.purge) this.#purgeDue = false;
  }

  #named(plan: Plan, written: string | undefined): Kept {
    try {
      return name(plan, written);
    } catch (cause) {
      if (cause instanceof OtherOwner) this.#fatal(cause);
      if (cause instanceof AppError) throw cause; // a refusal: nothing was changed
      const error = new AppError("E_STORE", `${this.#deps.spec.name}: failed to finish the checkpoint`, {}, cause);
      this.#fatal(error);
      throw error;
    }
  }

  #durable(events: readonly StoredEvent[]): void {
    if (events.length > 0) this.#deps.onEvents(events);
    this.#cancelIdle();
    if (this.#ended || !this.#journal) return;
    if (this.#isDue(this.#journal)) this.#inBackground();
    else if (this.#deps.longLived)
      this.#cancelIdle = this.#deps.clock.after(this.#rest(this.#journal), () => this.#inBackground());
  }

  /** How long nothing has to come before a checkpoint is made. */
  #rest(journal: Journal): Ms {
    if (this.#checkpointedAt === undefined || journal.bytes > SMALL_BYTES) return IDLE_MS;
    return Math.max(IDLE_MS, this.#checkpointedAt + SMALL_EVERY_MS - this.#deps.clock.mono());
  }

  #isDue(journal: Journal): boolean {
    const least = Math.max(this.#deps.checkpointBytes ?? CHECKPOINT_BYTES, (this.#kept.db?.bytes ?? 0) / 2);
    return journal.transactions >= TRANSACTIONS_MAX || journal.bytes > Math.min(least, JOURNAL_MAX);
  }

  /** A checkpoint that fails is given up: the journal holds everything, and the next commit tries again. */
  #inBackground(): void {
    if (this.#checkpointing !== undefined || this.#asked) return;
    this.#asked = true;
    void this.#tryCheckpoint();
  }

  async #tryCheckpoint(): Promise<void> {
    try {
      await this.checkpoint();
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.#deps.log.warning("checkpoint cancelled", { store: this.#deps.spec.name, why });
    } finally {
      this.#asked = false;
    }
  }

  /** Memory is ahead of the disk: forget it, the next call loads again. */
  #lost(error: AppError): void {
    this.tx.breakOff(error);
    this.#unload();
  }

  #fatal(error: AppError): void {
    if (this.#ended) return;
    this.#end(error);
    this.#onFatal(error);
  }

  /** The next start may trust what it finds. The mark need not be durable either way: a power loss empties the page cache, too. */
  #endedWell(): void {
    const path = this.#loaded?.files.inUse;
    if (path === undefined || !this.#inUse) return;
    try {
      this.#deps.disk.remove(path);
    } catch {
      /* ok to lose: the next start makes one checkpoint too many. */
    }
  }

  #end(why: AppError): void {
    this.#cancelIdle();
    this.#ended ??= why;
    this.tx.breakOff(why);
    this.#journal?.close(why);
    this.#unload();
  }

  #unload(): void {
    this.#journal?.close(this.#ended ?? refused("closed", `${this.#deps.spec.name} was reloaded`));
    this.#loaded?.memory.close();
    this.#loaded = undefined;
    this.#journal = undefined;
  }
}
