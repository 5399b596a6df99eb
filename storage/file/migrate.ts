import { copyFileSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { faultPoint } from "../../lib/base/fault.js";
import type { EpochMs } from "../../lib/base/units.js";
import { refused } from "../errors.js";
import { newestSchema, refuseStranger, STORE_DDL, stepsBetween, withEvents } from "../migrate.js";
import { FILE_STORE } from "../schema/file-store.js";
import type { Migration, StoreSpec } from "../store.js";
import { sizeOf } from "./health.js";
import type { Statements } from "./statements.js";
import type { WasmDatabase } from "./wasm.js";

export interface Subject {
  readonly spec: StoreSpec;
  readonly database: WasmDatabase;
  readonly statements: Statements;
}

export interface Plan {
  readonly current: number;
  readonly missing: readonly Migration[];
}

/**
 * Prove that the file is a store of this kind. Reads only.
 *
 * @throws E_STORE `data.reason`: foreign (another kind, or not ours), newer (written by a later version), damaged
 */
export function planMigration(subject: Subject): Plan {
  const { spec, statements } = subject;
  const tables = statements.all(FILE_STORE.tables, []).map((row) => String(row["name"]));
  const current = tables.includes("_store") ? readSchema(subject, tables) : unborn(spec, tables);
  return { current, missing: stepsBetween(withEvents(spec.migrations), current, newestSchema(spec.migrations)) };
}

function readSchema({ spec, statements }: Subject, tables: readonly string[]): number {
  const [row] = statements.all(FILE_STORE.found, []);
  refuseStranger(spec, { kind: String(row?.["kind"] ?? "unknown"), schema: Number(row?.["schema"] ?? 0) });
  // One page of each table: a damaged root shows itself now and not in the middle of a turn.
  for (const table of tables) statements.all(FILE_STORE.firstRow(table), []);
  return Number(row?.["schema"] ?? 0);
}

function unborn(spec: StoreSpec, tables: readonly string[]): number {
  if (tables.length === 0) return 0;
  const hint = "move the file away; it was not changed";
  throw refused("foreign", `${spec.path} is a database of another program (tables ${tables.slice(0, 5).join(", ")})`, {
    path: spec.path,
    hint,
  });
}

/** Begin the transaction that brings the store to the newest layout. */
export function beginUpgrade({ spec, database, statements }: Subject, { current }: Plan): void {
  database.exec("BEGIN");
  if (current > 0) return;
  database.exec(STORE_DDL);
  statements.run(FILE_STORE.born, [spec.name, spec.kind]);
}

/** The statements of one step. */
export function define({ database }: Subject, { missing }: Plan, to: number): void {
  for (const statement of missing.find((step) => step.to === to)?.statements ?? []) database.exec(statement);
}

export function reached({ statements }: Subject, to: number): void {
  statements.run(FILE_STORE.reached, [to]);
}

/** Copies from before upgrades that are kept of one store, as of a board. */
const COPIES = 5;

/** Copy the files before the first write, while they are those of one moment; the journal, where there is one, belongs to the copy. */
export function keepCopy(spec: StoreSpec, schema: number, at: EpochMs): void {
  const dir = join(dirname(spec.path), "state-snapshots");
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const prefix = `${basename(spec.path)}.schema-`;
  const copy = join(dir, `${prefix}${schema}.${at}`);
  copyFileSync(spec.path, copy);
  if (sizeOf(`${spec.path}-wal`) > 0) copyFileSync(`${spec.path}-wal`, `${copy}-wal`);
  faultPoint("store.migrate.backed-up");
  removeOldCopies(dir, prefix);
}

/** The newest stay, each with its journal. */
function removeOldCopies(dir: string, prefix: string): void {
  const age = (name: string) => Number(/\.(\d+)(?:-wal)?$/.exec(name)?.[1] ?? 0);
  const copies = readdirSync(dir).filter((name) => name.startsWith(prefix));
  const times = [...new Set(copies.map(age))].toSorted((a, b) => b - a);
  const oldest = times[COPIES - 1] ?? 0;
  for (const name of copies) if (age(name) < oldest) rmSync(join(dir, name), { force: true });
}
