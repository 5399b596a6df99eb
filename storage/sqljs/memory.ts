import type { Database, SqlJsStatic, Statement } from "sql.js";
import { LostMemory, sqlError } from "../errors.js";
import type { Row, Value } from "../store.js";

interface Prepared {
  readonly statement: Statement;
  columns: string[] | undefined;
}

const STATEMENTS_MAX = 500;
/** Bodies that wait for their COMMIT. What their undoing would need grows with them: a copy of each page that they changed. */
const WAITING_MAX = 64;
/** No other process has this database, so no transaction looks for locks and journals of others; rollback in memory; foreign keys start off in this library; deleted text must not stay in the pages (purge). */
const PRAGMAS = [
  "locking_mode = EXCLUSIVE",
  "journal_mode = MEMORY",
  "synchronous = OFF",
  "temp_store = MEMORY",
  "foreign_keys = ON",
  "secure_delete = ON",
];

/**
 * A whole database in memory. Synchronous; one statement at a time.
 *
 * The library copies every page that a COMMIT has changed into a file of its own, and only `export` reads that. So bodies that change something
 * are savepoints of one transaction, whose COMMIT comes before an export, or after many of them: many small ones take a twentieth less.
 */
export class Memory {
  readonly #db: Database;
  readonly #prepared = new Map<string, Prepared>();
  #open = true;
  #body: "read" | "write" | undefined;
  /** The body that reads began the transaction. */
  #own = false;
  /** Bodies that are committed in the open transaction; undefined: none is open. */
  #waiting: number | undefined;
  #lost: LostMemory | undefined;

  /** @throws what the library says of bytes that are not a database, at the first statement */
  constructor(library: SqlJsStatic, bytes?: Uint8Array) {
    this.#db = new library.Database(bytes);
    try {
      for (const pragma of PRAGMAS) this.#db.run(`PRAGMA ${pragma}`);
    } catch (error) {
      this.#db.close();
      throw error;
    }
  }

  /** All rows; the statement runs to its end. `changed` tells how many rows an INSERT, UPDATE or DELETE changed. */
  all(sql: string, args: readonly Value[]): Row[] {
    return this.#run(sql, (prepared) => rowsOf(prepared, args));
  }

  /** Texts of the first column of all rows, one behind the other as UTF-8. */
  text(sql: string, args: readonly Value[]): Uint8Array {
    return this.#run(sql, ({ statement }) => {
      statement.bind([...args]);
      let text = "";
      while (statement.step()) text += statement.get()[0] ?? "";
      return new TextEncoder().encode(text); // memory of its own, that can be given away
    });
  }

  /** Rows changed by the last INSERT, UPDATE or DELETE; after anything else an old number. */
  changed(): number {
    return this.#db.getRowsModified();
  }

  begin(kind: "read" | "write" = "write"): void {
    const fresh = this.#waiting === undefined;
    if (fresh) this.all("BEGIN", []);
    this.#own = fresh && kind === "read";
    if (kind === "write") {
      this.#waiting ??= 0;
      this.all("SAVEPOINT body", []);
    }
    this.#body = kind;
  }

  /** @throws LostMemory when bodies from before are gone */
  commit(): void {
    this.#must("RELEASE body");
    this.#body = undefined;
    this.#waiting = (this.#waiting ?? 0) + 1;
    if (this.#waiting >= WAITING_MAX) this.#settle();
  }

  /**
   * Undo the body; what came before stays. Never throws, so that who undoes because of a failure can end the turn: where the transaction is gone there
   * is nothing left to undo, and where bodies from before are gone with it every later call says so.
   */
  rollback(): void {
    const kind = this.#body;
    this.#body = undefined;
    try {
      if (this.#own) this.all("ROLLBACK", []);
      else if (kind === "write") {
        this.#must("ROLLBACK TO body");
        this.#must("RELEASE body");
      }
    } catch {
      /* ok to lose: see above. */
    }
  }

  /** Statements without arguments that are not worth being kept: DDL, PRAGMA. */
  exec(sql: string): void {
    try {
      this.#db.run(sql);
    } catch (error) {
      throw sqlError(error, sql);
    }
  }

  /** A genuine SQLite file of this state. Throws inside a body that writes. */
  export(): Buffer {
    if (this.#lost) throw this.#lost;
    if (this.#body !== "write") this.#settle();
    const bytes = this.#db.export();
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    this.#db.close();
  }

  /** Forget prepared statements; their columns may have changed with the schema. */
  forget(): void {
    for (const { statement } of this.#prepared.values()) statement.free();
    this.#prepared.clear();
  }

  /** COMMIT what waits. */
  #settle(): void {
    if (this.#waiting === undefined) return;
    this.#waiting = undefined;
    this.#must("COMMIT");
  }

  /** Fails only when SQLite has ended the transaction by itself, as it does when it has no memory left: bodies that were committed are gone with it. */
  #must(sql: string): void {
    try {
      this.all(sql, []);
    } catch (error) {
      this.#lost ??= new LostMemory(error);
      throw this.#lost;
    }
  }

  #run<T>(sql: string, use: (prepared: Prepared) => T): T {
    if (this.#lost) throw this.#lost;
    try {
      const prepared = this.#prepare(sql);
      try {
        return use(prepared);
      } finally {
        prepared.statement.reset();
      }
    } catch (error) {
      if (this.#body !== "write") this.#settle(); // a body that writes finds out by itself, at its end
      throw sqlError(error, sql);
    }
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    if (this.#prepared.size >= STATEMENTS_MAX) this.forget();
    const fresh: Prepared = { statement: this.#db.prepare(sql), columns: undefined };
    this.#prepared.set(sql, fresh);
    return fresh;
  }
}

function rowsOf(prepared: Prepared, args: readonly Value[]): Row[] {
  const { statement } = prepared;
  statement.bind([...args]);
  const rows: Row[] = [];
  while (statement.step()) {
    prepared.columns ??= statement.getColumnNames();
    rows.push(toRow(prepared.columns, statement.get() as Value[])); // no statement of ours stores a blob
  }
  return rows;
}

function toRow(columns: readonly string[], values: readonly Value[]): Row {
  const row: Row = {};
  for (let at = 0; at < columns.length; at++) row[columns[at] ?? ""] = values[at] ?? null;
  return row;
}
