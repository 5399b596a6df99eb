import { refused } from "../errors.js";
import { inspect } from "../statement.js";
import type { Args, Row } from "../store.js";
import { storableArgs } from "../value.js";
import type { WasmDatabase, WasmStatement } from "./wasm.js";

/** Prepared statements kept at once; the product has fewer texts than this in one store. */
const KEPT = 200;

/** The prepared statements of one connection: least recently used ones are finalized, and so is one that failed. */
export class Statements {
  readonly #database: WasmDatabase;
  readonly #kept = new Map<string, WasmStatement>();

  constructor(database: WasmDatabase) {
    this.#database = database;
  }

  /** All rows: a read that stopped early would block checkpoints. */
  all(sql: string, args: Args): Row[] {
    const values = storableArgs(args, inspect(sql).params, sql);
    return this.#use(sql, (statement) => statement.all(values).map(toRow));
  }

  /** @returns number of rows changed. */
  run(sql: string, args: Args): number {
    const values = storableArgs(args, inspect(sql).params, sql);
    return this.#use(sql, (statement) => statement.run(values).changes);
  }

  /** Insert one row. @returns its row id */
  insert(sql: string, args: Args): number {
    const values = storableArgs(args, inspect(sql).params, sql);
    return this.#use(sql, (statement) => Number(statement.run(values).lastInsertRowid));
  }

  close(): void {
    for (const statement of this.#kept.values()) statement.finalize();
    this.#kept.clear();
  }

  #use<T>(sql: string, action: (statement: WasmStatement) => T): T {
    const statement = this.#prepare(sql);
    try {
      return action(statement);
    } catch (error) {
      this.#drop(sql);
      throw error;
    }
  }

  #prepare(sql: string): WasmStatement {
    const known = this.#kept.get(sql);
    if (known) {
      this.#kept.delete(sql); // to the end: the first of the map is the least recently used
      this.#kept.set(sql, known);
      return known;
    }
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= KEPT) this.#drop(oldest);
    const fresh = this.#database.prepare(sql);
    this.#kept.set(sql, fresh);
    return fresh;
  }

  #drop(sql: string): void {
    const statement = this.#kept.get(sql);
    this.#kept.delete(sql);
    try {
      statement?.finalize();
    } catch {
      /* ok to lose: finalizing reports the error of the last step once more, and that one is being thrown already. */
    }
  }
}

/** The library gives a bigint for an integer beyond 2^53 and bytes for a blob; neither can have been stored through this contract. */
function toRow(row: Record<string, unknown>): Row {
  for (const [column, value] of Object.entries(row)) {
    if (typeof value === "bigint" || value instanceof Uint8Array) {
      throw refused("foreign", `invalid value in column ${column}`);
    }
  }
  return row as Row; // what is left is text, number or null
}
