import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { NoticeRoute } from "../../../lib/contracts/board/notifier.js";
import type { Delivery, DeliveryState } from "../../../lib/contracts/board/notify.js";
import type { Query, Tx } from "../../store.js";

/** The oldest message that a subscription is still owed, with its event; `kind` null when the event was cleaned away. */
export interface OwedRow extends Delivery {
  readonly platform: string;
  readonly chat_id: string;
  readonly thread_id: string;
  readonly user_id: string | null;
  readonly notifier_profile: string | null;
  readonly artifacts: number;
  readonly kind: string | null;
  readonly payload: string | null;
  readonly task_id: TaskId | null;
}

const OPEN = "('pending', 'sending')";

/** Platforms and profiles for which something is owed. */
export async function owedRoutes(q: Query): Promise<NoticeRoute[]> {
  return q.all<NoticeRoute>(
    `SELECT DISTINCT platform, notifier_profile AS profile FROM subscriptions s
     WHERE EXISTS (SELECT 1 FROM deliveries d WHERE d.subscription_id = s.id AND d.state IN ${OPEN}) ORDER BY platform, notifier_profile`,
  );
}

/** The first message of each subscription on one route: those behind it wait. */
export async function owedHeads(q: Query, route: NoticeRoute, limit: number): Promise<OwedRow[]> {
  return q.all<OwedRow>(
    `SELECT d.*, s.platform, s.chat_id, s.thread_id, s.user_id, s.notifier_profile, s.artifacts, e.kind, e.payload, e.task_id
     FROM subscriptions s
     JOIN deliveries d ON d.subscription_id = s.id
       AND d.event_id = (SELECT min(o.event_id) FROM deliveries o WHERE o.subscription_id = s.id AND o.state IN ${OPEN})
     LEFT JOIN events e ON e.seq = d.event_id
     WHERE s.platform = ? AND coalesce(s.notifier_profile, '') = ? ORDER BY d.next_at, d.event_id, d.subscription_id LIMIT ?`,
    [route.platform, route.profile ?? "", limit],
  );
}

type Which = Pick<Delivery, "subscription_id" | "event_id">;

/** Mark it as being sent. False: it is no longer owed. */
export async function beginDelivery(tx: Tx, { subscription_id, event_id }: Which, now: UnixSeconds): Promise<boolean> {
  const changed = await tx.run(
    `UPDATE deliveries SET state = 'sending', attempts = attempts + 1, updated_at = ?
     WHERE subscription_id = ? AND event_id = ? AND state = 'pending'`,
    [now, subscription_id, event_id],
  );
  return changed > 0;
}

/** What became of it. */
export interface Ending {
  readonly state: DeliveryState;
  readonly attempts: number;
  readonly next_at: UnixSeconds;
  readonly message: string | null;
  readonly error: string | null;
}

/** Store what became of a message that was being sent; a settled one moves the subscription on, or ends it. */
export async function endDelivery(
  tx: Tx,
  { subscription_id, event_id }: Which,
  ending: Ending,
  now: UnixSeconds,
): Promise<void> {
  const changed = await tx.run(
    `UPDATE deliveries SET state = ?, attempts = ?, next_at = ?, platform_message_id = ?, error = ?, updated_at = ?
     WHERE subscription_id = ? AND event_id = ? AND state = 'sending'`,
    [ending.state, ending.attempts, ending.next_at, ending.message, ending.error, now, subscription_id, event_id],
  );
  if (changed > 0 && ending.state !== "pending") await settled(tx, subscription_id, event_id);
}

async function settled(tx: Tx, subscription: number, event: number): Promise<void> {
  await tx.run("UPDATE subscriptions SET last_event_id = ? WHERE id = ? AND last_event_id < ?", [
    event,
    subscription,
    event,
  ]);
  await dropEnded(tx);
}

/** Subscriptions to tasks that are over and have nothing left to deliver; one whose delivery failed stays, so that it is seen. */
async function dropEnded(tx: Tx): Promise<void> {
  await tx.run(
    `DELETE FROM subscriptions WHERE ended_by IS NOT NULL AND NOT EXISTS (
       SELECT 1 FROM deliveries d
       WHERE d.subscription_id = subscriptions.id AND d.state IN ('pending', 'sending', 'failed', 'expired')
     )`,
  );
}

/** Give up what has waited since before `before`, except what is being sent. @returns how many */
export async function expireDeliveries(tx: Tx, before: UnixSeconds, now: UnixSeconds): Promise<number> {
  const rows = await tx.all<Which>(
    `UPDATE deliveries SET state = 'expired', error = 'not delivered in time', updated_at = ? WHERE state = 'pending' AND created_at <= ?
     RETURNING subscription_id, event_id`,
    [now, before],
  );
  for (const { subscription_id, event_id } of rows) {
    await tx.run("UPDATE subscriptions SET last_event_id = ? WHERE id = ? AND last_event_id < ?", [
      event_id,
      subscription_id,
      event_id,
    ]);
  }
  return rows.length;
}

/** When the oldest message that still waits was written; undefined when none does. */
export async function oldestOwed(q: Query): Promise<UnixSeconds | undefined> {
  // The first condition is that of the index, which does not hold the settled rows.
  const sql = `SELECT min(created_at) AS at FROM deliveries WHERE state IN ${OPEN} AND state = 'pending'`;
  const row = await q.get<{ at: UnixSeconds | null }>(sql);
  return row?.at ?? undefined;
}

/** Tasks that wait for this one and have not begun. */
export async function heldChildren(q: Query, task: TaskId): Promise<number> {
  const row = await q.get<{ held: number }>(
    `SELECT count(*) AS held FROM links l JOIN tasks t ON t.id = l.child_id
     WHERE l.parent_id = ? AND l.ignored = 0 AND t.status = 'todo'`,
    [task],
  );
  return row?.held ?? 0;
}
