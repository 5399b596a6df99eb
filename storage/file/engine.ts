import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { AppError, toAppError } from "../../lib/base/errors.js";
import type { EpochMs } from "../../lib/base/units.js";
import { refused } from "../errors.js";
import { newestSchema } from "../migrate.js";
import { inspect, mustBe } from "../statement.js";
import type { Args, Closing, DomainEvent, Row, Step, StoredEvent, StoreSpec, Value } from "../store.js";
import { createStoreFile, markCreated, refuseMissing } from "./birth.js";
import { appendEvents, lastSeq, resolveReferences } from "./events.js";
import { syncFailed, toStoreError } from "./failure.js";
import { checkHeader, dropEmptyJournal, fileMark, sizeOf } from "./health.js";
import { beginUpgrade, define, keepCopy, type Plan, planMigration, reached } from "./migrate.js";
import { Statements } from "./statements.js";
import { type FileSystem, loadSqlite, type Sqlite, type WasmDatabase } from "./wasm.js";

export interface EngineOptions {
  readonly spec: StoreSpec;
  readonly memory: boolean;
  readonly readonly: boolean;
  readonly cacheMb: number;
  /** Remember that the file was made, and refuse to make it again. */
  readonly marked?: boolean;
  readonly now: () => EpochMs;
  readonly disk?: FileSystem;
}

export interface ScriptResult {
  readonly rows: Row[][];
  readonly events: StoredEvent[];
}

interface Opened {
  readonly sqlite: Sqlite;
  readonly database: WasmDatabase;
  readonly statements: Statements;
  readonly mark: string;
  readonly plan: Plan;
}

/**
 * One SQLite file, or a database in memory, as a plain synchronous object. Hosts bring order and promises to it. Every method throws
 * `AppError`; after a failed statement that ended the transaction, `commit` throws the first cause again.
 */
export class FileEngine {
  readonly #options: EngineOptions;
  #opened: Opened | undefined;
  /** The layout of the open file is the newest. */
  #upgraded = false;
  #aborted: AppError | undefined;
  #dead: AppError | undefined;

  constructor(options: EngineOptions) {
    this.#options = options;
  }

  /**
   * Harmless twice.
   *
   * @returns layouts that the file has not reached; the host brings it there with `upgrade`, `define`, `reached` and `commit`
   * @throws E_STORE with `data.reason`: damaged, newer, foreign. The file is as it was.
   */
  open(): readonly number[] {
    if (this.#dead) throw this.#dead;
    this.#opened ??= this.#load();
    return this.#upgraded ? [] : this.#opened.plan.missing.map((step) => step.to);
  }

  #load(): Opened {
    const { spec, memory, readonly, marked } = this.#options;
    if (marked === true && !memory) refuseMissing(spec.path);
    const empty = memory || (readonly && !existsSync(spec.path) && sizeOf(`${spec.path}-wal`) === 0);
    if (!empty) this.#prepareFile();
    this.#upgraded = false;
    const sqlite = loadSqlite(this.#options.disk);
    try {
      return this.#connect(sqlite, empty);
    } catch (error) {
      sqlite.files.abandon();
      if (!empty && !readonly) dropEmptyJournal(spec.path);
      throw toStoreError(spec.path, error, sqlite.files);
    }
  }

  #prepareFile(): void {
    const { spec, readonly } = this.#options;
    checkHeader(spec.path);
    if (readonly) return;
    mkdirSync(dirname(spec.path), { recursive: true, mode: 0o700 });
    // Left behind by a version or a tool that locks with it; the owner's lock says that it is not held.
    rmSync(`${spec.path}.lock`, { recursive: true, force: true });
  }

  #connect(sqlite: Sqlite, empty: boolean): Opened {
    const { spec, readonly, cacheMb, now } = this.#options;
    if (!empty && !readonly) createStoreFile(sqlite, spec.path);
    const fresh = empty || sizeOf(spec.path) === 0;
    const before = fileMark(spec.path);
    // Nothing is written before the file has proved to be whole and ours; only a rollback journal must be played back first.
    const played = sizeOf(`${spec.path}-journal`) > 0;
    sqlite.files.mode = empty || (!readonly && (fresh || played)) ? "writing" : readonly ? "reading" : "looking";
    const database = sqlite.open(empty ? ":memory:" : spec.path);
    for (const pragma of [...(empty ? [] : ON_DISK), ...ALWAYS, `PRAGMA cache_size=${-Math.round(cacheMb * 1000)}`])
      database.exec(pragma);
    const subject = { spec, database, statements: new Statements(database) };
    const plan = planMigration(subject);
    if (readonly && !empty && plan.current === 0) {
      // Its owner is making it, or ended while it did.
      sqlite.files.abandon();
      return this.#connect(sqlite, true);
    }
    if (readonly && !empty && plan.missing.length > 0) {
      throw refused("readonly", `${spec.path} has an older layout; the next write upgrades it`, {
        path: spec.path,
      });
    }
    if (plan.current > 0 && plan.missing.length > 0) keepCopy(spec, plan.current, now());
    if (!readonly) sqlite.files.mode = "writing";
    if (!empty && !readonly) database.exec("PRAGMA journal_mode=WAL");
    if (!empty && !readonly && this.#options.marked === true) markCreated(spec.path);
    return { sqlite, database, statements: subject.statements, mark: before, plan };
  }

  upgrade(): void {
    this.#aborted = undefined;
    this.#guard((opened) => beginUpgrade({ spec: this.#options.spec, ...opened }, opened.plan));
  }

  define(to: number): void {
    this.#guard((opened) => define({ spec: this.#options.spec, ...opened }, opened.plan, to));
  }

  reached(to: number): void {
    this.#guard((opened) => reached({ spec: this.#options.spec, ...opened }, to));
    this.#upgraded = to === newestSchema(this.#options.spec.migrations);
  }

  /**
   * After a failure everything fails with its cause until `rollback`: what was sent behind it must not run outside of a transaction.
   *
   * @throws E_CONFLICT `data.reason: "reread"` when the host has to open it (again) first
   */
  begin(): void {
    this.#aborted = undefined;
    try {
      if (this.#options.readonly && this.#changed()) this.close();
      if (this.open().length > 0) throw reread();
      this.#guard((opened) => opened.database.exec("BEGIN"));
      if (!this.#options.readonly) this.#opened?.sqlite.files.gather();
    } catch (error) {
      this.#aborted = toAppError(error);
      throw error;
    }
  }

  savepoint(): void {
    this.#guard((opened) => opened.database.exec("SAVEPOINT body"));
  }

  release(): void {
    this.#guard((opened) => opened.database.exec("RELEASE body"));
  }

  /** Undo what happened since the savepoint, or `all` of the transaction: the commit that was sent behind it finds an empty one. */
  undo(all = false): void {
    this.#guard((opened) => opened.database.exec(all ? "ROLLBACK; BEGIN" : "ROLLBACK TO body; RELEASE body"));
  }

  /** @returns bytes of the journal that commits of this connection have reached */
  commit(): number {
    if (this.#aborted) throw this.#aborted;
    this.#guard((opened) => opened.database.exec("COMMIT"));
    if (this.#options.readonly && this.#changed()) throw reread();
    return this.#opened?.sqlite.files.journalEnd ?? 0;
  }

  rollback(): void {
    this.#aborted = undefined;
    const database = this.#opened?.database;
    if (database?.inTransaction) database.exec("ROLLBACK");
  }

  all(sql: string, args: Args, mayWrite: boolean): Row[] {
    mustBe(sql, mayWrite ? "any" : "read");
    return this.#guard((opened) => opened.statements.all(sql, args));
  }

  run(sql: string, args: Args): number {
    mustBe(sql, "write");
    return this.#guard((opened) => opened.statements.run(sql, args));
  }

  /** All steps and events, or none of them. `alone`: nothing else is in the open transaction, so that it needs no place to go back to. */
  script(steps: readonly Step[], events: readonly DomainEvent[], alone: boolean): ScriptResult {
    if (!alone) this.savepoint();
    try {
      const rows = this.#steps(steps);
      const stored = this.emit(events.map((event) => resolveReferences(event, rows)));
      if (!alone) this.release();
      return { rows, events: stored };
    } catch (error) {
      if (!this.#aborted) this.undo(alone);
      throw error;
    }
  }

  #steps(steps: readonly Step[]): Row[][] {
    const rows: Row[][] = [];
    for (const [place, step] of steps.entries()) {
      const args = step.args.map((arg) => (typeof arg === "object" && arg !== null ? referred(rows, arg) : arg));
      const { kind, returning } = inspect(step.sql);
      const found = kind === "read" || returning ? this.all(step.sql, args, true) : [];
      const count = kind === "read" || returning ? found.length : this.run(step.sql, args);
      if (step.expect !== undefined && step.expect !== count) {
        throw new AppError("E_CONFLICT", `step ${place} affected ${count} rows instead of ${step.expect}`, {
          step: place,
          count,
        });
      }
      rows.push(found);
    }
    return rows;
  }

  emit(events: readonly DomainEvent[]): StoredEvent[] {
    return this.#guard((opened) => appendEvents(opened.statements, this.#options.spec.name, events));
  }

  lastSeq(): number {
    return this.#guard((opened) => lastSeq(opened.statements));
  }

  /** `TRUNCATE` also empties the journal file, so that nothing deleted is left in it. */
  checkpoint(mode: "PASSIVE" | "TRUNCATE"): void {
    if (this.#options.memory || this.#options.readonly) return;
    const busy = this.#guard((opened) => opened.statements.all(CHECKPOINT[mode], []));
    if (Number(busy[0]?.["busy"] ?? 0) !== 0)
      throw new AppError("E_STORE", "cannot merge the journal into the file now", { reason: "journal" });
  }

  /** Write a database in memory to a file. */
  vacuumInto(path: string): void {
    this.#guard((opened) => opened.statements.all("VACUUM INTO ?", [path]));
  }

  /** The tables of an extra, in the open transaction. */
  extend(name: string): void {
    for (const statement of this.#options.spec.extras?.[name] ?? [])
      this.#guard(({ database }) => database.exec(statement));
  }

  /** What SQLite finds wrong with the whole file; empty when nothing. Reads all of it. */
  check(): string[] {
    const rows = this.#guard((opened) => opened.statements.all("PRAGMA integrity_check(20)", []));
    return rows.map((row) => String(row["integrity_check"])).filter((line) => line !== "ok");
  }

  /** `untouched` leaves the journal unmerged. Harmless twice. Never throws: what was acknowledged is in the journal already. */
  close(how: Closing = "checkpoint"): void {
    const opened = this.#opened;
    this.#opened = undefined;
    if (!opened) return;
    const { memory, readonly, spec } = this.#options;
    try {
      opened.statements.close();
      if (!readonly && (memory || how === "checkpoint")) opened.database.close();
    } catch {
      /* ok to lose: closing only merges the journal, and the next open does that when this one could not. */
    } finally {
      opened.sqlite.files.abandon();
    }
    if (!readonly && !memory && how === "untouched") dropEmptyJournal(spec.path);
  }

  #changed(): boolean {
    return this.#opened !== undefined && this.#opened.mark !== fileMark(this.#options.spec.path);
  }

  #guard<T>(action: (opened: Opened) => T): T {
    if (this.#dead) throw this.#dead;
    if (this.#aborted) throw this.#aborted;
    const opened = this.#opened;
    if (!opened) throw refused("closed", `the store ${this.#options.spec.name} is closed`);
    const inside = opened.database.inTransaction;
    try {
      return action(opened);
    } catch (error) {
      throw this.#failed(opened, inside, error);
    }
  }

  #failed(opened: Opened, inside: boolean, thrown: unknown): AppError {
    const error = toStoreError(this.#options.spec.path, thrown, opened.sqlite.files);
    const { syncFailure } = opened.sqlite.files;
    if (syncFailure) this.#dead = syncFailed(this.#options.spec.path, syncFailure);
    if (inside && !opened.database.inTransaction) this.#aborted = error;
    return error;
  }
}

const CHECKPOINT = { PASSIVE: "PRAGMA wal_checkpoint(PASSIVE)", TRUNCATE: "PRAGMA wal_checkpoint(TRUNCATE)" } as const;

/** Before the first access: without shared memory a journal of kind WAL works only when the lock is exclusive. */
const ON_DISK = ["PRAGMA locking_mode=EXCLUSIVE", "PRAGMA synchronous=FULL", "PRAGMA wal_autocheckpoint=0"];
const ALWAYS = ["PRAGMA secure_delete=ON", "PRAGMA temp_store=MEMORY", "PRAGMA foreign_keys=ON"];

const reread = () => new AppError("E_CONFLICT", "the file changed while it was read", { reason: "reread" });

function referred(rows: readonly Row[][], { from, column }: { from: number; column: string }): Value {
  const value = rows[from]?.[0]?.[column];
  if (value === undefined) throw new AppError("E_CONFLICT", `step ${from} gave no ${column}`, { step: from, count: 0 });
  return value;
}
