import type { EpochMs } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";

/** A small value that a part of the owner keeps under a name of its own. */
export async function getValue(q: Query, key: string): Promise<string | undefined> {
  return (await q.get<{ value: string }>("SELECT value FROM kv WHERE key = ?", [key]))?.value;
}

/** Keep a value in place of the one before. */
export async function setValue(tx: Tx, key: string, value: string, now: EpochMs): Promise<void> {
  const sql =
    "INSERT INTO kv (key, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at";
  await tx.run(sql, [key, value, now]);
}

/** Values whose names begin like this. */
export async function valuesUnder(q: Query, prefix: string): Promise<{ key: string; value: string }[]> {
  return q.all("SELECT key, value FROM kv WHERE substr(key, 1, ?) = ? ORDER BY key", [prefix.length, prefix]);
}

export async function dropValue(tx: Tx, key: string): Promise<void> {
  await tx.run("DELETE FROM kv WHERE key = ?", [key]);
}
