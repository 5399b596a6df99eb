import { createHash } from "node:crypto";
import type { Row } from "../store.js";
import type { Memory } from "./memory.js";

interface Column {
  readonly name: string;
  readonly pk: number;
}

/**
 * SHA-256 of what a store holds: all tables by name, their columns, their rows in order of the key. Two states with the same digest are the
 * same, whatever pages they lie in. The row that describes the file itself is left out.
 */
export function digest(memory: Memory): string {
  const hash = createHash("sha256");
  const sql =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('_store', 'sqlite_stat1') ORDER BY name";
  for (const row of memory.all(sql, [])) {
    const table = String(row["name"]);
    const columns = columnsOf(memory, table);
    hash.update(JSON.stringify([table, columns.map((column) => column.name)]));
    for (const line of rowsOf(memory, table, columns)) hash.update(JSON.stringify(Object.values(line)));
  }
  return hash.digest("hex");
}

function columnsOf(memory: Memory, table: string): Column[] {
  return memory
    .all(`PRAGMA table_info(${quoted(table)})`, [])
    .map((row) => ({ name: String(row["name"]), pk: Number(row["pk"]) }));
}

function rowsOf(memory: Memory, table: string, columns: readonly Column[]): Row[] {
  const key = columns.filter((column) => column.pk > 0).sort((a, b) => a.pk - b.pk);
  const order = (key.length > 0 ? key : columns).map((column) => quoted(column.name)).join(", ");
  return memory.all(
    `SELECT ${columns.map((column) => quoted(column.name)).join(", ")} FROM ${quoted(table)} ORDER BY ${order}`,
    [],
  );
}

const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`;
