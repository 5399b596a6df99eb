import type { UnixSeconds } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";

export interface SettingsRow {
  readonly name: string;
  readonly description: string;
  readonly icon: string;
  readonly color: string;
  readonly default_workdir: string;
  readonly created_at: UnixSeconds | null;
  readonly orchestration: "auto" | "manual" | null;
  readonly max_in_progress: number | null;
  readonly paused_at: UnixSeconds | null;
  readonly paused_by: string | null;
  readonly paused_reason: string | null;
}

/** Stored settings of the board; undefined when none were ever stored. */
export async function getSettings(q: Query): Promise<SettingsRow | undefined> {
  return q.get<SettingsRow>(
    `SELECT name, description, icon, color, default_workdir, created_at, orchestration, max_in_progress, paused_at, paused_by, paused_reason
     FROM board WHERE id = 1`,
  );
}

/** Store all settings of the board. */
export async function putSettings(tx: Tx, row: SettingsRow): Promise<void> {
  const names = Object.keys(row);
  const values = Object.values(row) as (string | number | null)[]; // SettingsRow has no other kinds of values
  await tx.run(
    `INSERT INTO board (id, ${names.join(", ")}) VALUES (1, ${names.map(() => "?").join(", ")})
     ON CONFLICT (id) DO UPDATE SET ${names.map((name) => `${name} = excluded.${name}`).join(", ")}`,
    values,
  );
}
