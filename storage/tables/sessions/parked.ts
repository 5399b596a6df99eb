import type { EpochMs } from "../../../lib/base/units.js";
import type { Query, Row, Tx } from "../../store.js";

/** A question that outlives its owner, and the answer that has not been handed over. */
export interface ParkedRow {
  readonly request: string;
  readonly session_id: string;
  readonly lineage_root: string;
  /** JSON of the open question. */
  readonly question: string;
  readonly ticket_kind: string;
  readonly ticket: string;
  readonly state: "open" | "answered";
  /** JSON of the answer; null while open. */
  readonly answer: string | null;
  /** Its answer was handed over before, perhaps without effect. */
  readonly handed: number;
}

export interface NewParked
  extends Pick<ParkedRow, "request" | "session_id" | "lineage_root" | "question" | "ticket_kind" | "ticket"> {
  readonly at: EpochMs;
}

/** @returns whether the session exists */
export async function insert(tx: Tx, row: NewParked): Promise<boolean> {
  const { request, session_id, lineage_root, question, ticket_kind, ticket, at } = row;
  const changed = await tx.run(
    `INSERT INTO parked_questions (request, session_id, lineage_root, question, ticket_kind, ticket, created_at)
     SELECT ?, id, ?, ?, ?, ?, ? FROM sessions WHERE id = ?`,
    [request, lineage_root, question, ticket_kind, ticket, at, session_id],
  );
  return changed === 1;
}

const COLUMNS = "request, session_id, lineage_root, question, ticket_kind, ticket, state, answer, handed";

/** All of them, the oldest first. */
export const all = (q: Query): Promise<(ParkedRow & Row)[]> =>
  q.all<ParkedRow & Row>(`SELECT ${COLUMNS} FROM parked_questions ORDER BY created_at, request`, []);

/** Requests that are open. */
export async function open(q: Query): Promise<ReadonlySet<string>> {
  const rows = await q.all("SELECT request FROM parked_questions WHERE state = 'open'", []);
  return new Set(rows.map((row) => String(row["request"])));
}

/** The answer counts. @returns false when another one did, or the question has gone with its session */
export async function answer(tx: Tx, request: string, json: string): Promise<boolean> {
  const sql = "UPDATE parked_questions SET state = 'answered', answer = ? WHERE request = ? AND state = 'open'";
  return (await tx.run(sql, [json, request])) === 1;
}

/** The answer counts and is handed over with it. @returns as `answer` */
export const take = async (tx: Tx, request: string): Promise<boolean> =>
  (await tx.run("DELETE FROM parked_questions WHERE request = ? AND state = 'open'", [request])) === 1;

/** An answer is about to be handed over. @returns false when its row has gone */
export const hand = async (tx: Tx, request: string): Promise<boolean> =>
  (await tx.run("UPDATE parked_questions SET handed = 1 WHERE request = ? AND state = 'answered'", [request])) === 1;

export async function remove(tx: Tx, request: string): Promise<void> {
  await tx.run("DELETE FROM parked_questions WHERE request = ?", [request]);
}

/** The questions of a lineage go with it. @returns those that were open, with their session */
export async function removeLineage(tx: Tx, root: string): Promise<readonly { request: string; session: string }[]> {
  const rows = await tx.all(
    "SELECT request, session_id FROM parked_questions WHERE lineage_root = ? AND state = 'open' ORDER BY request",
    [root],
  );
  await tx.run("DELETE FROM parked_questions WHERE lineage_root = ?", [root]);
  return rows.map((row) => ({ request: String(row["request"]), session: String(row["session_id"]) }));
}
