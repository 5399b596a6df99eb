import type { EpochMs } from "../lib/base/units.js";

/** What a statement can hold: text, a number in the safe range, or nothing. `undefined`, blobs, NaN and infinities are refused (`E_INVALID`). */
export type Value = string | number | null;
export type Args = readonly Value[];
export type Row = Record<string, Value>;

export interface Query {
  all<R = Row>(sql: string, args?: Args): Promise<R[]>;
  get<R = Row>(sql: string, args?: Args): Promise<R | undefined>;
  /** The first column of all rows, which holds texts, one behind the other as UTF-8: for long lists that are only passed on. */
  text(sql: string, args?: Args): Promise<Uint8Array>;
}

/** Something that happened, written in the transaction that made it happen. `payload` is JSON-serialisable and holds no token. */
export interface DomainEvent {
  readonly kind: string;
  readonly at: EpochMs;
  readonly task?: string;
  readonly run?: number;
  readonly session?: string;
  readonly turn?: string;
  readonly actor?: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** `seq` grows without gaps within a store, is never reused, and is the cursor of subscribers. `store` names the store (`board:default`, `sessions`, `state`). */
export interface StoredEvent extends DomainEvent {
  readonly seq: number;
  readonly store: string;
}

export interface Tx extends Query {
  /** @returns number of rows changed. Begins with INSERT, UPDATE or DELETE. A statement with RETURNING goes through `all` or `get`. */
  run(sql: string, args?: Args): Promise<number>;
  /** Append to the events of this store, in this transaction. Listeners see it once the transaction is durable. */
  emit(event: DomainEvent): void;
}

/** Step of a script. A count other than `expect` rolls all back (the script rejects with `E_CONFLICT`). `{ from, column }` takes a value from an earlier step's first row. */
export interface Step {
  readonly sql: string;
  readonly args: readonly (Value | { readonly from: number; readonly column: string })[];
  readonly expect?: number;
}

export interface Store {
  readonly name: string;
  /** One consistent state; resolves when all it saw is durable. */
  read<T>(body: (q: Query) => Promise<T>): Promise<T>;
  /**
   * One transaction; resolves when durable. The body awaits nothing but the transaction; it may run twice. A body that throws rolls back.
   *
   * @throws E_STORE_FULL nothing was changed, the same call works when there is space
   * @throws E_STORE the store cannot be written, or (`data.outcome: "unknown"`) the change may or may not be stored
   */
  write<T>(label: string, body: (tx: Tx) => Promise<T>): Promise<T>;
  /** A whole transaction in one message, for the hot verbs. Rows of each step; for a step without RETURNING, none. */
  script(label: string, steps: readonly Step[], events?: readonly DomainEvent[]): Promise<Row[][]>;
  /** Durable events with `seq > after`, by seq, at most `limit`. */
  events(after: number, limit: number): Promise<StoredEvent[]>;
  /** Newest durable seq; 0 for an empty store. */
  lastSeq(): Promise<number>;
  /** Called with the events of each commit once it is durable, in order. The returned function removes the listener. */
  onEvents(listener: (events: readonly StoredEvent[]) => void): () => void;
  /** A plain SQLite file of one moment. */
  copyTo(path: string): Promise<{ sequence: number; sha256: string }>;
  /** A write after which no file of the store holds the deleted text. */
  purge(body: (tx: Tx) => Promise<void>): Promise<void>;
  /** Release the files; resolves when nothing of it can write any more. Default `checkpoint`. Harmless twice. */
  close(how?: Closing): Promise<void>;
}

/**
 * How the files of a store are left: `checkpoint` merges the journal into a fresh checkpoint, `untouched` writes nothing more. What was confirmed stays in
 * the journal either way.
 */
export type Closing = "checkpoint" | "untouched";

/** One numbered step forward. Statements, or a function over the open transaction; never journalled, always followed by a checkpoint. */
export interface Migration {
  readonly to: number;
  readonly statements: readonly string[];
  readonly apply?: (tx: Tx) => Promise<void>;
}

/** What an engine must know to open a store. */
export interface StoreSpec {
  /** `board:<slug>`, `state`, `sessions`. */
  readonly name: string;
  /** Path of the main file; its companions lie beside it. */
  readonly path: string;
  /** Kind in `_store`; a file of another kind is refused. */
  readonly kind: "board" | "state" | "sessions";
  readonly migrations: readonly Migration[];
  /** Tables that only some homes need, by name: statements that do nothing where they are there. Files only; `FileStore.extend` runs them. */
  readonly extras?: Readonly<Record<string, readonly string[]>>;
}

/**
 * DDL of the event table that every store has; engines write it through `Tx.emit`. `created_at` is milliseconds.
 * The board's JSON turns it into unix seconds.
 */
export const EVENTS_DDL = [
  `CREATE TABLE events (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,
    task_id TEXT,
    run_id INTEGER,
    session_id TEXT,
    turn_id TEXT,
    actor TEXT,
    payload TEXT NOT NULL,
    created_at INTEGER NOT NULL
  )`,
  "CREATE INDEX events_task ON events (task_id, seq)",
  "CREATE INDEX events_session ON events (session_id, seq)",
] as const;
