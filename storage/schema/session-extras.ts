/** Direct chats with topics, in tables that bear the name of the first platform to have them: one row for each chat that switched them on, one for each topic with its conversation (gateway part, 16.1.7). */
const DIRECT_TOPICS = [
  `CREATE TABLE IF NOT EXISTS msgt_dm_topic_mode (
    chat_id TEXT PRIMARY KEY,
    user_id TEXT NOT NULL,
    enabled INTEGER NOT NULL,
    activated_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    has_topics_enabled INTEGER,
    allows_users_to_create_topics INTEGER,
    capability_checked_at INTEGER,
    intro_message_id TEXT,
    pinned_message_id TEXT
  )`,
  `CREATE TABLE IF NOT EXISTS msgt_dm_topic_bindings (
    chat_id TEXT NOT NULL,
    thread_id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    session_key TEXT NOT NULL,
    session_id TEXT NOT NULL UNIQUE REFERENCES sessions (id) ON DELETE CASCADE,
    managed_mode TEXT NOT NULL CHECK (managed_mode IN ('auto', 'restored')),
    linked_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (chat_id, thread_id)
  )`,
] as const;

/** Tables of the session store that a home gets when it first needs them. */
export const SESSION_EXTRAS: Readonly<Record<"direct_topics", readonly string[]>> = { direct_topics: DIRECT_TOPICS };
