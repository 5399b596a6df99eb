import type { SessionId } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";

/** A conversation with the user of the platform that it belongs to. */
export async function topicSession(
  q: Query,
  id: string,
): Promise<
  | { readonly id: SessionId; readonly title: string | null; readonly source: string; readonly user: string | null }
  | undefined
> {
  const sql = "SELECT id, title, source, user_id AS user FROM sessions WHERE id = ? AND ephemeral = 0";
  return q.get<{ id: SessionId; title: string | null; source: string; user: string | null }>(sql, [id]);
}

/** Note whose conversation it is, once. */
export async function noteUser(tx: Tx, id: SessionId, user: string): Promise<void> {
  await tx.run("UPDATE sessions SET user_id = ? WHERE id = ? AND user_id IS NULL", [user, id]);
}

/** Newest segments of the user's conversations that belong to no topic, with what they are about. */
export async function unlinkedSessions(
  q: Query,
  { platform, user }: { readonly platform: string; readonly user: string },
  limit: number,
): Promise<readonly { id: SessionId; preview: string }[]> {
  return q.all<{ id: SessionId; preview: string }>(
    `SELECT s.id AS id, COALESCE(s.title, '(without a title)') AS preview FROM sessions s
     WHERE s.source = ? AND s.user_id = ? AND s.message_count > 0 AND s.archived = 0 AND s.ephemeral = 0
       AND COALESCE(s.end_reason, '') NOT IN ('compaction', 'compaction_undone')
       AND NOT EXISTS (SELECT 1 FROM msgt_dm_topic_bindings b WHERE b.session_id = s.id)
     ORDER BY s.last_active_at DESC, s.id DESC LIMIT ?`,
    [platform, user, limit],
  );
}

/** What the model said last. */
export async function lastAnswer(q: Query, id: SessionId): Promise<string | undefined> {
  const sql = `SELECT content FROM messages WHERE session_id = ? AND role = 'assistant' AND active = 1 AND content <> ''
     ORDER BY ordinal DESC LIMIT 1`;
  return (await q.get<{ content: string }>(sql, [id]))?.content;
}
