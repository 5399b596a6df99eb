import assert from "node:assert/strict";
import { AppError, type ErrorCode } from "../../lib/base/errors.js";
import type { DomainEvent, Migration, Row, Store } from "../store.js";

/** Where a case works: an empty directory, and stores that are closed at its end. */
export interface ContractWorld {
  readonly dir: string;
  open(how?: { schema?: number; readonly?: boolean; rehearse?: boolean; name?: string }): Promise<Store>;
}

/** One promise of the contract. */
export interface ContractCase {
  readonly name: string;
  run(world: ContractWorld): Promise<void>;
}

const SCHEMA: readonly Migration[] = [
  {
    to: 1,
    statements: [
      "CREATE TABLE things (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT UNIQUE, amount INTEGER, ratio REAL, note TEXT)",
      "CREATE TABLE parents (id INTEGER PRIMARY KEY)",
      "CREATE TABLE children (id INTEGER PRIMARY KEY, parent_id INTEGER NOT NULL REFERENCES parents (id) ON DELETE CASCADE)",
    ],
  },
  { to: 2, statements: ["ALTER TABLE things ADD COLUMN added INTEGER NOT NULL DEFAULT 7"] },
  {
    to: 3,
    statements: [],
    apply: async (tx) => {
      const rows = await tx.all<{ id: number; name: string }>("SELECT id, name FROM things ORDER BY id");
      for (const { id, name } of rows)
        await tx.run("UPDATE things SET note = ? WHERE id = ?", [`migrated ${name}`, id]);
    },
  },
];

export function migrationsTo(schema: number): readonly Migration[] {
  return SCHEMA.slice(0, schema);
}

export const ADD = "INSERT INTO things (name) VALUES (?)";

export function add(store: Store, name: string): Promise<number> {
  return store.write("add", (tx) => tx.run(ADD, [name]));
}

/** Names of all things, in order of their ids. */
export async function names(store: Store): Promise<unknown[]> {
  const rows = await store.read((q) => q.all("SELECT name FROM things ORDER BY id"));
  return rows.map((row) => row["name"]);
}

/** What one value becomes when it is stored in `column` and read again. */
export async function roundTrip(store: Store, column: "amount" | "ratio" | "note", value: unknown): Promise<unknown> {
  const given = value as string; // cases pass what the type forbids on purpose
  const row = await store.write("value", async (tx) => {
    const added = await tx.get<{ id: number }>(`INSERT INTO things (${column}) VALUES (?) RETURNING id`, [given]);
    return tx.get<Row>(`SELECT ${column} AS value FROM things WHERE id = ?`, [added?.id ?? -1]);
  });
  const again = await store.read((q) => q.get<Row>(`SELECT ${column} AS value FROM things ORDER BY id DESC LIMIT 1`));
  assert.deepEqual(again, row);
  return row?.["value"];
}

export function event(kind: string, more: Partial<DomainEvent> = {}): DomainEvent {
  return { kind, at: 1_700_000_000_123, payload: {}, ...more };
}

export async function rejectsWith(code: ErrorCode, work: () => Promise<unknown>): Promise<AppError> {
  try {
    await work();
  } catch (error) {
    assert.ok(error instanceof AppError, `expected ${code}, got ${String(error)}`);
    assert.equal(error.code, code, error.message);
    return error;
  }
  return assert.fail(`expected ${code}, and it worked`);
}
