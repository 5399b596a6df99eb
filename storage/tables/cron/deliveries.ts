import type { DeliveryStatus } from "../../../lib/contracts/gateway/cron.js";
import type { OutboxState } from "../../../lib/contracts/gateway/outbox.js";
import type { Tx } from "../../store.js";

/** What is most worth knowing comes first. */
const RANKS: readonly (readonly [DeliveryStatus, readonly OutboxState[]])[] = [
  ["failed", ["failed", "dropped"]],
  ["unknown", ["unknown"]],
  ["pending", ["pending", "sending"]],
  ["sent", ["sent"]],
];

/**
 * Write down what became of what the last run of a job had to deliver, in the commit that changes one of its messages. Nothing happens when a
 * later run has ended since, or the job is gone.
 */
export async function noteDelivery(tx: Tx, outboxId: string): Promise<void> {
  const sent = await tx.get<{ source_key: string | null }>("SELECT source_key FROM outbox WHERE id = ?", [outboxId]);
  const name = /^cron:([^:]+):/.exec(sent?.source_key ?? "")?.[1];
  if (name === undefined) return;
  const run = await tx.get<{ id: string; job_id: string; delivery_ids: string }>(
    "SELECT id, job_id, delivery_ids FROM cron_runs WHERE id = ? AND delivery_ids IS NOT NULL",
    [name],
  );
  if (run === undefined) return;
  const last = await tx.get<{ id: string }>(
    "SELECT id FROM cron_runs WHERE job_id = ? AND ended_at IS NOT NULL AND status <> 'skipped' ORDER BY ended_at DESC, seq DESC LIMIT 1",
    [run.job_id],
  );
  if (last?.id !== run.id) return;
  const rowIds: readonly string[] = JSON.parse(run.delivery_ids);
  const sql = `SELECT state, error FROM outbox WHERE id IN (${rowIds.map(() => "?").join(", ")})`;
  const rows = await tx.all<{ state: OutboxState; error: string | null }>(sql, rowIds);
  const found = RANKS.find(([, states]) => rows.some(({ state }) => states.includes(state)));
  if (found === undefined) return;
  const [status, states] = found;
  const error = status === "sent" ? null : (rows.find(({ state }) => states.includes(state))?.error ?? null);
  await tx.run("UPDATE cron_jobs SET last_delivery_status = ?, last_delivery_error = ? WHERE id = ?", [
    status,
    error,
    run.job_id,
  ]);
}
