import { EVENTS_DDL, type Migration } from "../store.js";
import { rebuildIndex } from "../tables/text/message-index.js";
import { SEGMENT_VERSION } from "../tables/text/word-segments.js";

const SESSIONS = `CREATE TABLE sessions (
  id TEXT PRIMARY KEY,
  source TEXT NOT NULL,
  user_id TEXT,
  profile TEXT NOT NULL,
  lineage_root TEXT NOT NULL,
  family_root TEXT NOT NULL,
  parent_session_id TEXT,
  relation TEXT,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  model_config TEXT,
  system_prompt TEXT,
  toolsets TEXT,
  title TEXT,
  title_source TEXT,
  cwd TEXT NOT NULL,
  project TEXT,
  started_at INTEGER NOT NULL,
  last_active_at INTEGER NOT NULL,
  ended_at INTEGER,
  end_reason TEXT,
  message_count INTEGER NOT NULL DEFAULT 0,
  tool_call_count INTEGER NOT NULL DEFAULT 0,
  api_call_count INTEGER NOT NULL DEFAULT 0,
  rewind_count INTEGER NOT NULL DEFAULT 0,
  input_tokens INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cache_read_tokens INTEGER NOT NULL DEFAULT 0,
  cache_write_tokens INTEGER NOT NULL DEFAULT 0,
  reasoning_tokens INTEGER NOT NULL DEFAULT 0,
  last_prompt_tokens INTEGER NOT NULL DEFAULT 0,
  estimated_cost_usd REAL,
  cost_status TEXT,
  archived INTEGER NOT NULL DEFAULT 0,
  ephemeral INTEGER NOT NULL DEFAULT 0,
  pinned INTEGER NOT NULL DEFAULT 0,
  turn_count INTEGER NOT NULL DEFAULT 0,
  next_ordinal INTEGER NOT NULL DEFAULT 1
)`;

const MESSAGES = `CREATE TABLE messages (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  role TEXT NOT NULL,
  kind TEXT NOT NULL DEFAULT 'normal',
  content TEXT NOT NULL,
  parts TEXT,
  tool_call_id TEXT,
  tool_calls TEXT,
  tool_name TEXT,
  status TEXT,
  duration_ms INTEGER,
  created_at INTEGER NOT NULL,
  token_count INTEGER,
  finish_reason TEXT,
  reasoning TEXT,
  reasoning_content TEXT,
  reasoning_details TEXT,
  responses_reasoning_items TEXT,
  responses_message_items TEXT,
  anthropic_content_blocks TEXT,
  platform_message_id TEXT,
  observed INTEGER NOT NULL DEFAULT 0,
  active INTEGER NOT NULL DEFAULT 1,
  copied_from INTEGER,
  flags TEXT
)`;

/** `draft`: the text that streams at this moment; it shows after a crash. `run_id`: run of the worker that works on the turn. */
const TURNS = `CREATE TABLE turns (
  turn_id TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  exit_reason TEXT,
  draft TEXT NOT NULL DEFAULT '',
  run_id INTEGER
)`;

/** Calls whose result is not there yet; the place of the result is kept for it. */
const OPEN_CALLS = `CREATE TABLE open_calls (
  session_id TEXT NOT NULL,
  ordinal INTEGER NOT NULL,
  turn_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  tool_name TEXT NOT NULL,
  PRIMARY KEY (session_id, ordinal)
)`;

/** Named records of a lineage (`goal`, `todo`, ...), each one JSON text. */
const LINEAGE_RECORDS = `CREATE TABLE lineage_records (
  lineage_root TEXT NOT NULL,
  name TEXT NOT NULL,
  value TEXT NOT NULL,
  updated_at INTEGER NOT NULL,
  PRIMARY KEY (lineage_root, name)
)`;

/**
 * What requests used and cost: one row for the requests of one kind in one turn. `slot`: "" for the conversation itself, else the side work
 * that asked. `unpriced`: requests without a known price.
 */
const TURN_USAGE = `CREATE TABLE turn_usage (
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  slot TEXT NOT NULL,
  model TEXT NOT NULL,
  provider TEXT NOT NULL,
  lineage_root TEXT NOT NULL,
  at INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  input_tokens INTEGER NOT NULL,
  output_tokens INTEGER NOT NULL,
  cache_read_tokens INTEGER NOT NULL,
  cache_write_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost_usd REAL,
  unpriced INTEGER NOT NULL,
  PRIMARY KEY (session_id, turn_id, slot, model, provider)
)`;

/** Questions that outlive their owner, until their answer was handed over. `ticket`: JSON for the asker. */
const PARKED = `CREATE TABLE parked_questions (
  request TEXT PRIMARY KEY,
  session_id TEXT NOT NULL,
  lineage_root TEXT NOT NULL,
  question TEXT NOT NULL,
  ticket_kind TEXT NOT NULL,
  ticket TEXT NOT NULL,
  state TEXT NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'answered')),
  answer TEXT,
  handed INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL
)`;

/** The session store: records, messages, the turn that is open, and the search index. Times are milliseconds. */
export const sessionMigrations: readonly Migration[] = [
  {
    to: 1,
    statements: [
      SESSIONS,
      "CREATE INDEX sessions_lineage ON sessions (lineage_root, started_at)",
      "CREATE INDEX sessions_active ON sessions (last_active_at)",
      "CREATE INDEX sessions_title ON sessions (title)",
      "CREATE INDEX sessions_parent ON sessions (parent_session_id)",
      MESSAGES,
      "CREATE UNIQUE INDEX messages_place ON messages (session_id, ordinal)",
      TURNS,
      "CREATE UNIQUE INDEX turns_open ON turns (session_id) WHERE ended_at IS NULL",
      "CREATE INDEX turns_session ON turns (session_id)",
      OPEN_CALLS,
      LINEAGE_RECORDS,
      ...EVENTS_DDL,
      "CREATE VIRTUAL TABLE message_index USING fts5 (text, content='', tokenize='unicode61 remove_diacritics 2')",
      "INSERT INTO message_index (message_index, rank) VALUES ('secure-delete', 1)",
      `UPDATE _store SET segment_version = ${SEGMENT_VERSION}`,
    ],
  },
  {
    to: 2,
    statements: [
      TURN_USAGE,
      "CREATE INDEX turn_usage_lineage ON turn_usage (lineage_root)",
      "CREATE INDEX turn_usage_at ON turn_usage (at)",
      "CREATE INDEX messages_copied ON messages (copied_from) WHERE copied_from IS NOT NULL",
    ],
  },
  {
    to: 3,
    statements: ["CREATE INDEX messages_seen ON messages (session_id, active, ordinal)"],
    apply: rebuildIndex,
  },
  {
    to: 4,
    // Requests whose cost comes from list prices.
    statements: ["ALTER TABLE turn_usage ADD COLUMN estimated INTEGER NOT NULL DEFAULT 0"],
  },
  {
    to: 5,
    statements: [PARKED, "CREATE INDEX parked_questions_lineage ON parked_questions (lineage_root)"],
  },
];
