/** Who wants to hear of what: one task, or (task_id null) the board, or one tenant of it. `kinds` null is the usual set, else `,a,b,`. */
const SUBSCRIPTIONS = `CREATE TABLE subscriptions (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  task_id TEXT,
  tenant TEXT,
  platform TEXT NOT NULL,
  chat_id TEXT NOT NULL,
  thread_id TEXT NOT NULL DEFAULT '',
  user_id TEXT,
  notifier_profile TEXT,
  kinds TEXT,
  artifacts INTEGER NOT NULL DEFAULT 1,
  inherited_from TEXT,
  created_at INTEGER NOT NULL,
  last_event_id INTEGER NOT NULL,
  ended_by INTEGER
)`;

/** What is owed to a subscription: one row per event, until it is delivered or given up. */
const DELIVERIES = `CREATE TABLE deliveries (
  subscription_id INTEGER NOT NULL,
  event_id INTEGER NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  next_at INTEGER NOT NULL,
  platform_message_id TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (subscription_id, event_id)
)`;

/** The kinds of events that a subscription without kinds of its own gets. */
export const TOLD_KINDS = [
  "completed",
  "blocked",
  "protocol_violation",
  "gave_up",
  "crashed",
  "timed_out",
  "archived",
  "stuck",
] as const;

const FAILURES = "'crashed', 'timed_out', 'spawn_failed', 'protocol_violation'";

/**
 * The ledger is written by the database itself, beside the event: whatever path an event takes into the table (a verb, a script, the
 * settling of a run), its deliveries are in the same transaction, and no path can forget them. Three steps: one row for each subscription
 * that the event concerns; the failure that this event sums up (same run, so same transaction) is taken back from those who hear of the sum;
 * the subscriptions to a task that is over hear of nothing more, and those that have nothing left to hear are gone.
 */
const LEDGER = `CREATE TRIGGER events_ledger AFTER INSERT ON events WHEN EXISTS (SELECT 1 FROM subscriptions)
BEGIN
  INSERT INTO deliveries (subscription_id, event_id, state, attempts, next_at, created_at, updated_at)
  SELECT s.id, NEW.seq, 'pending', 0, NEW.created_at / 1000, NEW.created_at / 1000, NEW.created_at / 1000
  FROM subscriptions s
  WHERE s.ended_by IS NULL
    AND (
      s.task_id = NEW.task_id
      OR (s.task_id IS NULL AND (s.tenant IS NULL OR s.tenant = (SELECT t.tenant FROM tasks t WHERE t.id = NEW.task_id)))
    )
    AND CASE
      WHEN s.kinds IS NOT NULL THEN instr(s.kinds, ',' || NEW.kind || ',') > 0
      WHEN NEW.kind = 'archived' THEN EXISTS (SELECT 1 FROM tasks t WHERE t.id = NEW.task_id AND coalesce(t.archived_from, '') <> 'done')
      ELSE NEW.kind IN (${TOLD_KINDS.map((kind) => `'${kind}'`).join(", ")})
    END;
  DELETE FROM deliveries
  WHERE NEW.kind IN ('gave_up', 'blocked')
    AND state = 'pending'
    AND subscription_id IN (SELECT d.subscription_id FROM deliveries d WHERE d.event_id = NEW.seq)
    AND event_id IN (
      SELECT e.seq FROM events e
      WHERE e.task_id = NEW.task_id AND e.run_id = NEW.run_id AND e.seq < NEW.seq AND e.kind IN (${FAILURES})
    );
  UPDATE subscriptions SET ended_by = NEW.seq
  WHERE task_id = NEW.task_id AND ended_by IS NULL AND NEW.kind IN ('completed', 'edited', 'archived')
    AND EXISTS (
      SELECT 1 FROM tasks t
      WHERE t.id = NEW.task_id AND (t.status = 'archived' OR (t.status = 'done' AND coalesce(t.verdict, 'accepted') <> 'rejected'))
    );
  DELETE FROM subscriptions
  WHERE ended_by = NEW.seq
    AND NOT EXISTS (
      SELECT 1 FROM deliveries d
      WHERE d.subscription_id = subscriptions.id AND d.state IN ('pending', 'sending', 'failed', 'expired')
    );
END`;

/** Subscriptions, their ledger, and the trigger that writes it. */
export const NOTIFY_DDL: readonly string[] = [
  SUBSCRIPTIONS,
  `CREATE UNIQUE INDEX subscriptions_place
   ON subscriptions (coalesce(task_id, ''), coalesce(tenant, ''), platform, chat_id, thread_id)`,
  "CREATE INDEX subscriptions_task ON subscriptions (task_id)",
  DELIVERIES,
  "CREATE INDEX deliveries_event ON deliveries (event_id)",
  "CREATE INDEX deliveries_open ON deliveries (subscription_id, event_id) WHERE state IN ('pending', 'sending')",
  LEDGER,
];
