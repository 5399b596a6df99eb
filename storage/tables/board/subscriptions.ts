import type { TaskId, UnixSeconds } from "../../../lib/base/units.js";
import type { Delivery, Subscription } from "../../../lib/contracts/board/notify.js";
import { LAST_SEQ } from "../../events.js";
import type { Query, Tx } from "../../store.js";

interface SubscriptionRow extends Omit<Subscription, "kinds" | "artifacts" | "ended" | "degraded"> {
  /** `,a,b,`: the form in which the trigger looks a kind up. */
  readonly kinds: string | null;
  readonly artifacts: number;
  readonly ended_by: number | null;
  readonly degraded: number;
}

/** What is unique about a subscription. */
export type Place = Pick<Subscription, "task_id" | "tenant" | "platform" | "chat_id" | "thread_id">;
/** What a second subscribing changes. */
export type Wish = Pick<Subscription, "user_id" | "notifier_profile" | "kinds" | "artifacts">;

const WITH_STATE = `SELECT s.*,
    (SELECT count(*) FROM deliveries d WHERE d.subscription_id = s.id AND d.state IN ('pending', 'sending')) AS waiting,
    EXISTS (
      SELECT 1 FROM deliveries d WHERE d.subscription_id = s.id AND d.state IN ('failed', 'expired')
        AND d.event_id > coalesce((SELECT max(o.event_id) FROM deliveries o WHERE o.subscription_id = s.id AND o.state = 'sent'), 0)
    ) AS degraded
  FROM subscriptions s`;

const AT_PLACE =
  "coalesce(task_id, '') = ? AND coalesce(tenant, '') = ? AND platform = ? AND chat_id = ? AND thread_id = ?";
const placeArgs = (at: Place) => [at.task_id ?? "", at.tenant ?? "", at.platform, at.chat_id, at.thread_id];
const stored = (kinds: readonly string[] | null): string | null => (kinds === null ? null : `,${kinds.join(",")},`);

/** Newest event ever written to the board; in a transaction also one that it has just written. */
async function newestEvent(q: Query): Promise<number> {
  return (await q.get<{ seq: number }>(LAST_SEQ))?.seq ?? 0;
}

/** Make a subscription, or change the one at that place; an ended one starts over. @returns whether it was made */
export async function putSubscription(tx: Tx, at: Place, wish: Wish, now: UnixSeconds): Promise<boolean> {
  const newest = await newestEvent(tx);
  const values = [wish.user_id, wish.notifier_profile, stored(wish.kinds), wish.artifacts ? 1 : 0];
  const changed = await tx.run(
    `UPDATE subscriptions SET user_id = ?, notifier_profile = ?, kinds = ?, artifacts = ?, inherited_from = NULL,
       last_event_id = CASE WHEN ended_by IS NULL THEN last_event_id ELSE ? END, ended_by = NULL
     WHERE ${AT_PLACE}`,
    [...values, newest, ...placeArgs(at)],
  );
  if (changed > 0) return false;
  await tx.run(
    `INSERT INTO subscriptions (user_id, notifier_profile, kinds, artifacts, task_id, tenant, platform, chat_id, thread_id, created_at, last_event_id)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [...values, at.task_id, at.tenant, at.platform, at.chat_id, at.thread_id, now, newest],
  );
  return true;
}

export async function subscriptionAt(q: Query, at: Place): Promise<Subscription | undefined> {
  const row = await q.get<SubscriptionRow>(`${WITH_STATE} WHERE ${AT_PLACE}`, placeArgs(at));
  return row && toSubscription(row);
}

/** Some subscription names the kinds of events that it hears of. */
export async function namesKinds(q: Query): Promise<boolean> {
  return (await q.get("SELECT 1 AS one FROM subscriptions WHERE kinds IS NOT NULL LIMIT 1")) !== undefined;
}

/** All of the board, or those of one task; oldest first. */
export async function subscriptionsOf(q: Query, task?: TaskId): Promise<Subscription[]> {
  const where = task === undefined ? "" : "WHERE s.task_id = ?";
  const rows = await q.all<SubscriptionRow>(`${WITH_STATE} ${where} ORDER BY s.id`, task === undefined ? [] : [task]);
  return rows.map(toSubscription);
}

function toSubscription(row: SubscriptionRow): Subscription {
  const { ended_by, ...rest } = row;
  return {
    ...rest,
    kinds: row.kinds === null ? null : row.kinds.split(",").filter((kind) => kind !== ""),
    artifacts: row.artifacts === 1,
    ended: ended_by !== null,
    degraded: row.degraded === 1,
  };
}

/** Remove a subscription with what is owed to it; what was delivered stays. @returns whether it existed */
export async function dropSubscription(tx: Tx, at: Place): Promise<boolean> {
  await tx.run(
    `DELETE FROM deliveries WHERE state IN ('pending', 'sending', 'failed', 'expired')
       AND subscription_id IN (SELECT id FROM subscriptions WHERE ${AT_PLACE})`,
    placeArgs(at),
  );
  return (await tx.run(`DELETE FROM subscriptions WHERE ${AT_PLACE}`, placeArgs(at))) > 0;
}

/**
 * The children of a decomposition are reported to the subscribers of their root (board part, 9.3). Call it when the children exist and before the
 * first event about them that should be reported.
 */
export async function inheritSubscriptions(
  tx: Tx,
  root: TaskId,
  children: readonly TaskId[],
  now: UnixSeconds,
): Promise<void> {
  const newest = await newestEvent(tx);
  for (const child of children) {
    await tx.run(
      `INSERT INTO subscriptions (user_id, notifier_profile, kinds, artifacts, task_id, tenant, platform, chat_id, thread_id, inherited_from,
         created_at, last_event_id)
       SELECT user_id, notifier_profile, kinds, artifacts, ?, tenant, platform, chat_id, thread_id, ?, ?, ?
       FROM subscriptions WHERE task_id = ? AND ended_by IS NULL ORDER BY id`,
      [child, root, now, newest, root],
    );
  }
}

/** Nothing of a task that is being deleted is reported any longer. Call it before its events are deleted. */
export async function forgetDeliveries(tx: Tx, task: TaskId): Promise<void> {
  await tx.run(
    `DELETE FROM deliveries WHERE event_id IN (SELECT seq FROM events WHERE task_id = ?)
       OR subscription_id IN (SELECT id FROM subscriptions WHERE task_id = ?)`,
    [task, task],
  );
  await tx.run("DELETE FROM subscriptions WHERE task_id = ?", [task]);
}

/** Deliveries, oldest first. */
export async function deliveriesOf(q: Query, subscription?: number): Promise<Delivery[]> {
  const where = subscription === undefined ? "" : "WHERE subscription_id = ?";
  return q.all<Delivery>(
    `SELECT * FROM deliveries ${where} ORDER BY event_id, subscription_id`,
    subscription === undefined ? [] : [subscription],
  );
}
