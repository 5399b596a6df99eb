import type { EpochMs } from "../../lib/base/units.js";
import type { Query, Tx } from "../store.js";

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
