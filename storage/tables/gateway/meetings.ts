import type { EpochMs } from "../../../lib/base/units.js";
import type { MeetingJob } from "../../../lib/contracts/gateway/meetings.js";
import type { Query, Tx } from "../../store.js";

/** Store a new job. False: its notification is known. */
export async function addMeetingJob(tx: Tx, job: MeetingJob): Promise<boolean> {
  const known = await tx.get("SELECT id FROM meeting_jobs WHERE event_id = ?", [job.event_id]);
  if (known !== undefined) return false;
  await tx.run(
    `INSERT INTO meeting_jobs (id, event_id, subscription_id, resource, change_type, state, step, attempts, next_at, data, error, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    [
      job.id,
      job.event_id,
      job.subscription_id,
      job.resource,
      job.change_type,
      job.state,
      job.step,
      job.attempts,
      job.next_at,
      job.data,
      job.error,
      job.created_at,
      job.updated_at,
    ],
  );
  return true;
}

export async function putMeetingJob(
  tx: Tx,
  { id, state, step, attempts, next_at, data, error, updated_at }: MeetingJob,
): Promise<void> {
  await tx.run(
    "UPDATE meeting_jobs SET state = ?, step = ?, attempts = ?, next_at = ?, data = ?, error = ?, updated_at = ? WHERE id = ?",
    [state, step, attempts, next_at, data, error, updated_at, id],
  );
}

/** Jobs that are not over, the next due first. */
export async function openMeetingJobs(q: Query, limit: number): Promise<readonly MeetingJob[]> {
  return q.all<MeetingJob>(
    "SELECT * FROM meeting_jobs WHERE state NOT IN ('completed', 'failed') ORDER BY next_at, created_at LIMIT ?",
    [limit],
  );
}

export async function countOpenMeetingJobs(q: Query): Promise<number> {
  const row = await q.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM meeting_jobs WHERE state NOT IN ('completed', 'failed')",
  );
  return row?.count ?? 0;
}

export async function countFailedMeetingJobs(q: Query, since: EpochMs): Promise<number> {
  const row = await q.get<{ count: number }>(
    "SELECT COUNT(*) AS count FROM meeting_jobs WHERE state = 'failed' AND updated_at > ?",
    [since],
  );
  return row?.count ?? 0;
}

/** Newest first. */
export async function listMeetingJobs(q: Query, limit: number): Promise<readonly MeetingJob[]> {
  return q.all<MeetingJob>("SELECT * FROM meeting_jobs ORDER BY created_at DESC, id LIMIT ?", [limit]);
}

export async function getMeetingJob(q: Query, id: string): Promise<MeetingJob | undefined> {
  return q.get<MeetingJob>("SELECT * FROM meeting_jobs WHERE id = ?", [id]);
}

/** Forget jobs that are over and old. */
export async function pruneMeetingJobs(tx: Tx, before: EpochMs): Promise<void> {
  await tx.run("DELETE FROM meeting_jobs WHERE state IN ('completed', 'failed') AND updated_at < ?", [before]);
}

/** Whether a summary of a meeting went, or may have gone, to a sink. */
export async function summaryState(q: Query, meeting: string, sink: string): Promise<"sending" | "sent" | undefined> {
  const sql = "SELECT state FROM meeting_deliveries WHERE meeting = ? AND sink = ?";
  return (await q.get<{ state: "sending" | "sent" }>(sql, [meeting, sink]))?.state;
}

/** Say that a summary is about to go to a sink. @returns what was known before; only undefined allows to send it */
export async function claimSummary(
  tx: Tx,
  { meeting, sink }: { readonly meeting: string; readonly sink: string },
  now: EpochMs,
): Promise<"sending" | "sent" | undefined> {
  const before = await summaryState(tx, meeting, sink);
  if (before === undefined) await noteSummary(tx, { meeting, sink, state: "sending" }, now);
  return before;
}

/** Forget where the summary of a meeting went: it is to go there once more. */
export async function forgetSummaries(tx: Tx, meeting: string): Promise<void> {
  await tx.run("DELETE FROM meeting_deliveries WHERE meeting = ?", [meeting]);
}

/** Note it; undefined: it certainly did not go. */
export async function noteSummary(
  tx: Tx,
  {
    meeting,
    sink,
    state,
  }: { readonly meeting: string; readonly sink: string; readonly state: "sending" | "sent" | undefined },
  now: EpochMs,
): Promise<void> {
  await tx.run("DELETE FROM meeting_deliveries WHERE meeting = ? AND sink = ?", [meeting, sink]);
  if (state !== undefined) {
    await tx.run("INSERT INTO meeting_deliveries (meeting, sink, state, updated_at) VALUES (?, ?, ?, ?)", [
      meeting,
      sink,
      state,
      now,
    ]);
  }
}
