import type { EpochMs } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";

/** A subscription as it is stored: `record` is JSON. */
export interface SubscriptionRow {
  readonly name: string;
  readonly record: string;
  readonly created_at: EpochMs;
}

export async function subscriptions(q: Query): Promise<SubscriptionRow[]> {
  return q.all<SubscriptionRow>("SELECT name, record, created_at FROM webhook_subscriptions ORDER BY name", []);
}

export async function subscription(q: Query, name: string): Promise<SubscriptionRow | undefined> {
  return q.get<SubscriptionRow>("SELECT name, record, created_at FROM webhook_subscriptions WHERE name = ?", [name]);
}

/** Store a subscription. False: there is one with its name, and `replace` is false. */
export async function putSubscription(tx: Tx, row: SubscriptionRow, replace: boolean): Promise<boolean> {
  if (!replace && (await subscription(tx, row.name)) !== undefined) return false;
  await tx.run("DELETE FROM webhook_subscriptions WHERE name = ?", [row.name]);
  await tx.run("INSERT INTO webhook_subscriptions (name, record, created_at) VALUES (?, ?, ?)", [
    row.name,
    row.record,
    row.created_at,
  ]);
  return true;
}

/** False: it did not exist. */
export async function removeSubscription(tx: Tx, name: string): Promise<boolean> {
  return (await tx.run("DELETE FROM webhook_subscriptions WHERE name = ?", [name])) === 1;
}

/** `open`: it was begun. `finished`: it is done, or in the inbox. `unknown`: its message may have arrived. */
export type DeliveryState = "open" | "finished" | "unknown";

/** One delivery of a route, from its first time. */
export interface DeliveryRow {
  readonly route: string;
  readonly delivery_id: string;
  readonly first_at: EpochMs;
  readonly state: DeliveryState;
}

/** The delivery with this id, made now where none was made after `since`: the same id is then another delivery. */
export async function claimDelivery(
  tx: Tx,
  {
    route,
    id,
    now,
    since,
  }: { readonly route: string; readonly id: string; readonly now: EpochMs; readonly since: EpochMs },
): Promise<DeliveryRow> {
  const known = await tx.get<DeliveryRow>("SELECT * FROM webhook_deliveries WHERE route = ? AND delivery_id = ?", [
    route,
    id,
  ]);
  if (known !== undefined && known.first_at > since) return known;
  await tx.run("DELETE FROM webhook_deliveries WHERE route = ? AND delivery_id = ?", [route, id]);
  await tx.run("INSERT INTO webhook_deliveries (route, delivery_id, first_at, state) VALUES (?, ?, ?, 'open')", [
    route,
    id,
    now,
  ]);
  return { route, delivery_id: id, first_at: now, state: "open" };
}

export async function setDelivery(
  tx: Tx,
  { route, delivery_id: id, first_at }: DeliveryRow,
  state: DeliveryState,
): Promise<void> {
  const sql = "UPDATE webhook_deliveries SET state = ? WHERE route = ? AND delivery_id = ? AND first_at = ?";
  await tx.run(sql, [state, route, id, first_at]);
}

export async function pruneDeliveryIds(tx: Tx, before: EpochMs): Promise<void> {
  await tx.run("DELETE FROM webhook_deliveries WHERE first_at < ?", [before]);
}
