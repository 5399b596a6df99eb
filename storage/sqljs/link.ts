import type { Args, Closing, DomainEvent, Row, Step, StoredEvent } from "../store.js";
import type { BodyKind } from "./transactions.js";

/** One open transaction of an engine, wherever the engine runs. Calls are made one after the other. */
export interface Session {
  all(sql: string, args: Args): Promise<Row[]>;
  text(sql: string, args: Args): Promise<Uint8Array>;
  /** @returns rows changed */
  run(sql: string, args: Args): Promise<number>;
  /** Written before the next statement; a failure shows there or at the commit. */
  emit(event: DomainEvent): void;
  /** Resolves when durable. After a failure the transaction is rolled back. */
  commit(): Promise<void>;
  /** Resolves when all that the transaction has seen is durable. */
  rollback(): Promise<void>;
  /** Undo what was done so far and begin again. */
  rewind(): Promise<void>;
}

/** The way to an engine: in this thread, or in the one that holds all stores. */
export interface Link {
  readonly name: string;
  /** Waits for its turn. */
  begin(kind: BodyKind, label: string): Promise<Session>;
  script(label: string, steps: readonly Step[], events: readonly DomainEvent[]): Promise<Row[][]>;
  copyTo(path: string): Promise<{ sequence: number; sha256: string }>;
  /** Checkpoint now. */
  checkpoint(): Promise<void>;
  onEvents(listener: (events: readonly StoredEvent[]) => void): () => void;
  close(how?: Closing): Promise<void>;
}
