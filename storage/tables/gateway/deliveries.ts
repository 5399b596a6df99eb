import type { EpochMs } from "../../../lib/base/units.js";
import type { TurnDelivery } from "../../../lib/contracts/gateway/outbox.js";
import type { Query, Tx } from "../../store.js";

/** What of a turn's text is visible; undefined when nothing was ever noted. */
export async function getDelivery(q: Query, turn: string): Promise<TurnDelivery | undefined> {
  return q.get<TurnDelivery>("SELECT * FROM turn_deliveries WHERE turn_id = ?", [turn]);
}

/** Note what is visible now. False: the turn is closed, and nothing is changed. */
export async function putDelivery(tx: Tx, row: Omit<TurnDelivery, "closed">): Promise<boolean> {
  if ((await getDelivery(tx, row.turn_id))?.closed === 1) return false;
  await tx.run(
    `INSERT INTO turn_deliveries (turn_id, mode, state, message_ids, delivered_prefix_length, shown, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (turn_id) DO UPDATE SET mode = excluded.mode, state = excluded.state, message_ids = excluded.message_ids,
       delivered_prefix_length = excluded.delivered_prefix_length, shown = excluded.shown, updated_at = excluded.updated_at`,
    [row.turn_id, row.mode, row.state, row.message_ids, row.delivered_prefix_length, row.shown, row.updated_at],
  );
  return true;
}

/** Close a turn, in the commit that ends its rows. A script with this step fails with E_CONFLICT where it was closed before. */
export function closeDeliveryStep(turn: string, now: EpochMs) {
  const sql = `INSERT INTO turn_deliveries (turn_id, mode, state, message_ids, delivered_prefix_length, closed, updated_at)
     VALUES (?, 'final', 'complete', '[]', 0, 1, ?)
     ON CONFLICT (turn_id) DO UPDATE SET state = 'complete', closed = 1, updated_at = excluded.updated_at WHERE turn_deliveries.closed = 0`;
  return { sql, args: [turn, now], expect: 1 };
}

/** @returns how many records are gone */
export async function pruneDeliveries(tx: Tx, before: EpochMs): Promise<number> {
  return tx.run("DELETE FROM turn_deliveries WHERE updated_at < ?", [before]);
}
