import type { EpochMs } from "../../../lib/base/units.js";
import type { Query, Step, Tx } from "../../store.js";

/** JSON text of a record of the lineage. */
export async function get(q: Query, root: string, name: string): Promise<string | undefined> {
  const row = await q.get("SELECT value FROM lineage_records WHERE lineage_root = ? AND name = ?", [root, name]);
  return row === undefined ? undefined : String(row["value"]);
}

export interface LineageRecord {
  readonly root: string;
  readonly name: string;
  readonly json: string;
}

const SET = `INSERT INTO lineage_records (lineage_root, name, value, updated_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (lineage_root, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;

export async function set(tx: Tx, { root, name, json }: LineageRecord, at: EpochMs): Promise<void> {
  await tx.run(SET, [root, name, json, at]);
}

/** The same as one step of a script. */
export const setStep = ({ root, name, json }: LineageRecord, at: EpochMs): Step => ({
  sql: SET,
  args: [root, name, json, at],
});

/** Every lineage that has a record of this name, with it. */
export async function having(q: Query, name: string): Promise<{ root: string; value: string }[]> {
  const rows = await q.all("SELECT lineage_root, value FROM lineage_records WHERE name = ? ORDER BY lineage_root", [
    name,
  ]);
  return rows.map((row) => ({ root: String(row["lineage_root"]), value: String(row["value"]) }));
}

/** Records of this name, of any lineage, that hold these words. */
export async function holding(q: Query, name: string, words: string): Promise<string[]> {
  const rows = await q.all("SELECT value FROM lineage_records WHERE name = ? AND instr(value, ?) > 0", [name, words]);
  return rows.map((row) => String(row["value"]));
}

/** Remove the records of a lineage, except the one named. */
export async function removeAll(tx: Tx, root: string, except: string): Promise<void> {
  await tx.run("DELETE FROM lineage_records WHERE lineage_root = ? AND name <> ?", [root, except]);
}

/** Remove a record, unless it says something else by then: one step of a script. */
export const removeStep = ({ root, name, json }: LineageRecord): Step => ({
  sql: "DELETE FROM lineage_records WHERE lineage_root = ? AND name = ? AND value = ?",
  args: [root, name, json],
});

export async function remove(tx: Tx, root: string, name: string): Promise<void> {
  await tx.run("DELETE FROM lineage_records WHERE lineage_root = ? AND name = ?", [root, name]);
}
