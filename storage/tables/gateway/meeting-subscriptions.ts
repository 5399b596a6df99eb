import type { EpochMs } from "../../../lib/base/units.js";
import type { MeetingSubscription } from "../../../lib/contracts/gateway/meetings.js";
import type { Query, Tx } from "../../store.js";

/** In the order in which they run out. */
export async function listSubscriptions(q: Query): Promise<readonly MeetingSubscription[]> {
  return q.all<MeetingSubscription>("SELECT * FROM meeting_subscriptions ORDER BY expires_at, id");
}

/** Store a subscription in place of one with its id. */
export async function putMeetingSubscription(tx: Tx, one: MeetingSubscription): Promise<void> {
  await tx.run("DELETE FROM meeting_subscriptions WHERE id = ?", [one.id]);
  await tx.run(
    `INSERT INTO meeting_subscriptions (id, resource, change_type, notification_url, expires_at, state, due, error, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      one.id,
      one.resource,
      one.change_type,
      one.notification_url,
      one.expires_at,
      one.state,
      one.due,
      one.error,
      one.created_at,
      one.updated_at,
    ],
  );
}

/** Store what became of one that was `before`. One that is not kept stays so; what the graph said of it meanwhile is still to be looked at. */
export async function changeSubscription(
  tx: Tx,
  before: MeetingSubscription,
  after: MeetingSubscription,
): Promise<void> {
  const found = await tx.get<MeetingSubscription>("SELECT * FROM meeting_subscriptions WHERE id = ?", [before.id]);
  if (found === undefined) return;
  const told = found.due !== before.due || found.state !== before.state;
  await tx.run("DELETE FROM meeting_subscriptions WHERE id = ?", [before.id]);
  await putMeetingSubscription(
    tx,
    told && after.id === before.id ? { ...after, due: found.due, state: found.state } : after,
  );
}

/** False: it did not exist. */
export async function dropSubscription(tx: Tx, id: string): Promise<boolean> {
  const known = await tx.get("SELECT id FROM meeting_subscriptions WHERE id = ?", [id]);
  await tx.run("DELETE FROM meeting_subscriptions WHERE id = ?", [id]);
  return known !== undefined;
}

/** The graph said something about one; unknown ones stay unknown. */
export async function noteLifecycle(
  tx: Tx,
  id: string,
  state: MeetingSubscription["state"],
  now: EpochMs,
): Promise<void> {
  await tx.run("UPDATE meeting_subscriptions SET state = ?, due = 1, updated_at = ? WHERE id = ?", [state, now, id]);
}
