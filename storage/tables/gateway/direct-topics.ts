import type { EpochMs, SessionId } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";

export interface TopicMode {
  readonly chat_id: string;
  readonly user_id: string;
  readonly enabled: number;
}

export interface TopicBinding {
  readonly chat_id: string;
  readonly thread_id: string;
  readonly user_id: string;
  readonly session_key: string;
  readonly session_id: SessionId;
  readonly managed_mode: "auto" | "restored";
}

/** Whether any chat of this home ever had topics; everything else here needs that. */
export async function hasTopicTables(q: Query): Promise<boolean> {
  return (
    (await q.get("SELECT name FROM sqlite_master WHERE type = 'table' AND name = 'msgt_dm_topic_bindings'")) !==
    undefined
  );
}

export async function topicMode(q: Query, chat: string): Promise<TopicMode | undefined> {
  return q.get<TopicMode>("SELECT chat_id, user_id, enabled FROM msgt_dm_topic_mode WHERE chat_id = ?", [chat]);
}

/** Switch topics on. */
export async function enableTopics(
  tx: Tx,
  { chat, user, mayCreate }: { readonly chat: string; readonly user: string; readonly mayCreate: boolean | null },
  now: EpochMs,
): Promise<void> {
  await tx.run(
    `INSERT INTO msgt_dm_topic_mode (chat_id, user_id, enabled, activated_at, updated_at, has_topics_enabled, allows_users_to_create_topics,
      capability_checked_at) VALUES (?, ?, 1, ?, ?, 1, ?, ?)
     ON CONFLICT (chat_id) DO UPDATE SET user_id = excluded.user_id, enabled = 1, updated_at = excluded.updated_at, has_topics_enabled = 1,
       allows_users_to_create_topics = excluded.allows_users_to_create_topics, capability_checked_at = excluded.capability_checked_at`,
    [chat, user, now, now, mayCreate === null ? null : Number(mayCreate), now],
  );
}

/** Note the message that explains topics, and whether it is pinned. */
export async function noteIntro(
  tx: Tx,
  chat: string,
  { intro, pinned }: { readonly intro: string; readonly pinned: boolean },
): Promise<void> {
  const sql = "UPDATE msgt_dm_topic_mode SET intro_message_id = ?, pinned_message_id = ? WHERE chat_id = ?";
  await tx.run(sql, [intro, pinned ? intro : null, chat]);
}

/** Switch topics off and forget which conversation belongs to which. */
export async function disableTopics(tx: Tx, chat: string, now: EpochMs): Promise<void> {
  await tx.run("UPDATE msgt_dm_topic_mode SET enabled = 0, updated_at = ? WHERE chat_id = ?", [now, chat]);
  await tx.run("DELETE FROM msgt_dm_topic_bindings WHERE chat_id = ?", [chat]);
}

const COLUMNS = "chat_id, thread_id, user_id, session_key, session_id, managed_mode";

export async function bindingAt(q: Query, chat: string, thread: string): Promise<TopicBinding | undefined> {
  return q.get<TopicBinding>(`SELECT ${COLUMNS} FROM msgt_dm_topic_bindings WHERE chat_id = ? AND thread_id = ?`, [
    chat,
    thread,
  ]);
}

/** Topic that a conversation belongs to. */
export async function bindingOf(q: Query, session: SessionId): Promise<TopicBinding | undefined> {
  return q.get<TopicBinding>(`SELECT ${COLUMNS} FROM msgt_dm_topic_bindings WHERE session_id = ?`, [session]);
}

/** Let a topic belong to a conversation, which must belong to no other one. */
export async function bindTopic(tx: Tx, binding: TopicBinding, now: EpochMs): Promise<void> {
  const { chat_id, thread_id, user_id, session_key, session_id, managed_mode } = binding;
  await tx.run(
    `INSERT INTO msgt_dm_topic_bindings (${COLUMNS}, linked_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (chat_id, thread_id) DO UPDATE SET user_id = excluded.user_id, session_key = excluded.session_key,
       session_id = excluded.session_id, managed_mode = excluded.managed_mode, updated_at = excluded.updated_at`,
    [chat_id, thread_id, user_id, session_key, session_id, managed_mode, now, now],
  );
}

/** Conversations that belong to a topic. */
export async function boundSessions(q: Query): Promise<readonly SessionId[]> {
  return (await q.all<{ session_id: SessionId }>("SELECT session_id FROM msgt_dm_topic_bindings")).map(
    (row) => row.session_id,
  );
}
