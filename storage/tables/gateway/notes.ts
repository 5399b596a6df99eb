import type { EpochMs } from "../../../lib/base/units.js";
import type { Autocommit } from "../../alone.js";
import type { Tx } from "../../store.js";

/** Lines that wait for the model of one chat, the oldest go first. */
const KEPT = 10;

const keyOf = (lane: string): string => `gateway.notes:${lane}`;

/** Something that the model of a lane's next turn has to know. */
export async function addNotes(tx: Tx, lane: string, lines: readonly string[], now: EpochMs): Promise<void> {
  const known = await tx.get<{ value: string }>("SELECT value FROM kv WHERE key = ?", [keyOf(lane)]);
  const before: readonly string[] = known === undefined ? [] : JSON.parse(known.value);
  const all = JSON.stringify([...before, ...lines].slice(-KEPT));
  await tx.run(
    "INSERT INTO kv (key, value, updated_at) VALUES (?, ?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at",
    [keyOf(lane), all, now],
  );
}

/** What waits, which is reported with that. */
export async function takeNotes(tx: Pick<Autocommit, "get">, lane: string): Promise<readonly string[]> {
  const taken = await tx.get<{ value: string }>("DELETE FROM kv WHERE key = ? RETURNING value", [keyOf(lane)]);
  return taken === undefined ? [] : JSON.parse(taken.value);
}
