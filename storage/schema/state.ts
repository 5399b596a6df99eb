import type { Migration } from "../store.js";

/** Tables of `state.db`: what the owner keeps beside boards and sessions. Times are milliseconds. */
export const STATE_MIGRATIONS: readonly Migration[] = [
  {
    to: 1,
    statements: [
      `CREATE TABLE kv (
        key TEXT PRIMARY KEY NOT NULL,
        value TEXT NOT NULL,
        updated_at INTEGER NOT NULL
      )`,
      `CREATE TABLE request_keys (
        client TEXT NOT NULL,
        request_key TEXT NOT NULL,
        method TEXT NOT NULL,
        params_sha256 TEXT NOT NULL,
        result TEXT,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (client, request_key)
      )`,
      "CREATE INDEX request_keys_age ON request_keys (created_at, client, request_key)",
    ],
  },
  {
    to: 2,
    statements: [
      // What was sent from an input line, the newest last. Each text stands there once.
      `CREATE TABLE prompts (
        n INTEGER PRIMARY KEY AUTOINCREMENT,
        sha256 TEXT NOT NULL UNIQUE,
        text TEXT NOT NULL,
        cwd TEXT NOT NULL,
        at INTEGER NOT NULL
      )`,
      "CREATE INDEX prompts_place ON prompts (cwd, n)",
      // Unsent text: of a session, or of the next new one in a directory.
      `CREATE TABLE drafts (
        place TEXT PRIMARY KEY NOT NULL,
        text TEXT NOT NULL,
        at INTEGER NOT NULL
      )`,
    ],
  },
  {
    to: 3,
    statements: [
      // Each event that a platform delivered, once. What is long stands last: a list does not read it.
      `CREATE TABLE inbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        event_id TEXT NOT NULL,
        kind TEXT NOT NULL,
        chat_id TEXT,
        thread_id TEXT,
        chat_type TEXT NOT NULL,
        user_id TEXT,
        user_id_alt TEXT,
        user_name TEXT,
        sent_at INTEGER,
        received_at INTEGER NOT NULL,
        state TEXT NOT NULL,
        session_key TEXT,
        joins INTEGER NOT NULL DEFAULT 0,
        due_at INTEGER NOT NULL DEFAULT 0,
        turn_id TEXT,
        reason TEXT,
        updated_at INTEGER NOT NULL,
        reply_grant TEXT,
        payload TEXT,
        UNIQUE (platform, account, event_id)
      )`,
      "CREATE INDEX inbox_open ON inbox (platform, seq) WHERE state IN ('received', 'waiting', 'running')",
      "CREATE INDEX inbox_sessions ON inbox (session_key, seq) WHERE state IN ('waiting', 'running')",
      "CREATE INDEX inbox_turns ON inbox (turn_id, seq) WHERE turn_id IS NOT NULL",
      "CREATE INDEX inbox_age ON inbox (updated_at, seq)",
      // Where a poller goes on, and when an account was first connected.
      `CREATE TABLE platform_cursors (
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        name TEXT NOT NULL,
        value TEXT NOT NULL,
        updated_at INTEGER NOT NULL,
        PRIMARY KEY (platform, account, name)
      )`,
      `CREATE TABLE platform_accounts (
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        first_connected_at INTEGER NOT NULL,
        PRIMARY KEY (platform, account)
      )`,
      // Each message that is to be sent. Rows of a lane leave by seq.
      `CREATE TABLE outbox (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        kind TEXT NOT NULL,
        turn_id TEXT,
        seq_in_turn INTEGER,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        chat_id TEXT NOT NULL,
        thread_id TEXT,
        reply_to TEXT,
        lane TEXT NOT NULL,
        via TEXT NOT NULL,
        source_key TEXT UNIQUE,
        idem_key TEXT NOT NULL,
        state TEXT NOT NULL,
        attempts INTEGER NOT NULL DEFAULT 0,
        next_attempt_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        uncertain INTEGER NOT NULL DEFAULT 0,
        first_sent_at INTEGER,
        repeat_until INTEGER,
        resent INTEGER NOT NULL DEFAULT 0,
        retried_by_operator INTEGER NOT NULL DEFAULT 0,
        noted INTEGER NOT NULL DEFAULT 0,
        platform_message_id TEXT,
        error TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL,
        payload TEXT
      )`,
      "CREATE INDEX outbox_lanes ON outbox (lane, seq) WHERE state IN ('pending', 'sending')",
      "CREATE INDEX outbox_expiry ON outbox (expires_at, seq) WHERE state = 'pending'",
      "CREATE INDEX outbox_states ON outbox (state, updated_at, seq)",
      // What of a turn's text is visible, written by the sender of the turn alone.
      `CREATE TABLE turn_deliveries (
        turn_id TEXT PRIMARY KEY NOT NULL,
        mode TEXT NOT NULL,
        state TEXT NOT NULL,
        message_ids TEXT NOT NULL,
        delivered_prefix_length INTEGER NOT NULL,
        closed INTEGER NOT NULL DEFAULT 0,
        updated_at INTEGER NOT NULL
      )`,
      "CREATE INDEX turn_deliveries_age ON turn_deliveries (updated_at, turn_id)",
    ],
  },
  {
    to: 4,
    statements: [
      // What runs on a schedule. `definition` is the JSON of what its user said about it; `next_run_at` null: it does not run by itself any more.
      `CREATE TABLE cron_jobs (
        id TEXT PRIMARY KEY NOT NULL,
        name TEXT NOT NULL,
        definition TEXT NOT NULL,
        schedule TEXT NOT NULL,
        timezone TEXT NOT NULL,
        catch_up TEXT NOT NULL,
        repeat_times INTEGER,
        repeat_completed INTEGER NOT NULL DEFAULT 0,
        enabled INTEGER NOT NULL DEFAULT 1,
        state TEXT NOT NULL,
        paused_at INTEGER,
        paused_reason TEXT,
        created_at INTEGER NOT NULL,
        anchor_at INTEGER NOT NULL,
        handled_until INTEGER NOT NULL,
        next_run_at INTEGER,
        last_run_at INTEGER,
        last_status TEXT,
        last_error TEXT,
        last_missed INTEGER NOT NULL DEFAULT 0,
        last_delivery_status TEXT,
        last_delivery_error TEXT,
        revision INTEGER NOT NULL DEFAULT 0,
        updated_at INTEGER NOT NULL
      )`,
      "CREATE INDEX cron_jobs_due ON cron_jobs (next_run_at, id) WHERE enabled = 1 AND next_run_at IS NOT NULL",
      "CREATE INDEX cron_jobs_names ON cron_jobs (name, id)",
      // Each run, and each row of slots that were skipped. A slot of a schedule has one row.
      `CREATE TABLE cron_runs (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        job_id TEXT NOT NULL,
        cause TEXT NOT NULL,
        scheduled_for INTEGER NOT NULL,
        missed INTEGER NOT NULL DEFAULT 0,
        made_at INTEGER NOT NULL,
        started_at INTEGER,
        ended_at INTEGER,
        status TEXT NOT NULL,
        error TEXT,
        session_id TEXT,
        output_path TEXT,
        delivery_ids TEXT
      )`,
      "CREATE UNIQUE INDEX cron_runs_slots ON cron_runs (job_id, scheduled_for) WHERE cause = 'schedule'",
      "CREATE INDEX cron_runs_jobs ON cron_runs (job_id, seq)",
      "CREATE INDEX cron_runs_open ON cron_runs (scheduled_for, seq) WHERE status IN ('queued', 'running')",
    ],
  },
  {
    to: 5,
    statements: [
      // Which conversation the messages of a chat go to.
      `CREATE TABLE gateway_sessions (
        session_key TEXT PRIMARY KEY NOT NULL,
        session_id TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      )`,
      // Where a turn for messages was begun: what became of it is asked there after a crash.
      `CREATE TABLE gateway_turns (
        n INTEGER PRIMARY KEY AUTOINCREMENT,
        turn TEXT NOT NULL UNIQUE,
        root TEXT NOT NULL,
        session_id TEXT NOT NULL,
        begun_at INTEGER NOT NULL
      )`,
      "CREATE INDEX gateway_turns_root ON gateway_turns (root, n)",
      "CREATE INDEX gateway_turns_age ON gateway_turns (begun_at, n)",
    ],
  },
  {
    to: 6,
    statements: [
      // Chats that messages came from, with the conversation that the last of them belonged to. `thread_id` empty: the chat itself.
      `CREATE TABLE gateway_chats (
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        chat_id TEXT NOT NULL,
        thread_id TEXT NOT NULL,
        chat_type TEXT NOT NULL,
        name TEXT,
        guild TEXT,
        session_key TEXT NOT NULL,
        seen_at INTEGER NOT NULL,
        PRIMARY KEY (platform, account, chat_id, thread_id)
      )`,
      // What an answer to a notice is recognised by.
      "CREATE INDEX outbox_notices ON outbox (platform_message_id) WHERE kind = 'board' AND platform_message_id IS NOT NULL",
    ],
  },
  {
    to: 7,
    statements: [
      // Who may talk without standing on a list, because the owner of the bot approved a code.
      `CREATE TABLE pairings (
        platform TEXT NOT NULL,
        user_id TEXT NOT NULL,
        user_name TEXT,
        approved_at INTEGER NOT NULL,
        PRIMARY KEY (platform, user_id)
      )`,
      // Who asked to be paired. Of the code only its salted hash is here; null: none was free, and its user was notified.
      `CREATE TABLE pairing_requests (
        platform TEXT NOT NULL,
        user_id TEXT NOT NULL,
        user_name TEXT,
        event_id TEXT NOT NULL,
        salt TEXT NOT NULL,
        code_hash TEXT,
        asked_at INTEGER NOT NULL,
        expires_at INTEGER NOT NULL,
        PRIMARY KEY (platform, user_id)
      )`,
      "CREATE INDEX pairing_requests_age ON pairing_requests (expires_at)",
      // Wrong codes since the last right one; after too many nothing is approved until then.
      `CREATE TABLE pairing_guesses (
        platform TEXT PRIMARY KEY NOT NULL,
        wrong INTEGER NOT NULL,
        locked_until INTEGER NOT NULL
      )`,
      // What is kept of a chat besides its conversation. `origin`: JSON of the source of its last message.
      "ALTER TABLE gateway_sessions ADD COLUMN origin TEXT",
      "ALTER TABLE gateway_sessions ADD COLUMN display_name TEXT",
      "ALTER TABLE gateway_sessions ADD COLUMN platform TEXT",
      "ALTER TABLE gateway_sessions ADD COLUMN chat_type TEXT",
      // 1: the conversation is new, and nothing was said in it since.
      "ALTER TABLE gateway_sessions ADD COLUMN is_fresh_reset INTEGER NOT NULL DEFAULT 0",
      "ALTER TABLE gateway_sessions ADD COLUMN was_auto_reset INTEGER NOT NULL DEFAULT 0",
      "ALTER TABLE gateway_sessions ADD COLUMN auto_reset_reason TEXT",
      "ALTER TABLE gateway_sessions ADD COLUMN reset_had_activity INTEGER NOT NULL DEFAULT 0",
      "ALTER TABLE gateway_sessions ADD COLUMN expiry_finalized INTEGER NOT NULL DEFAULT 0",
      "ALTER TABLE gateway_sessions ADD COLUMN suspended INTEGER NOT NULL DEFAULT 0",
      "ALTER TABLE gateway_sessions ADD COLUMN resume_failures INTEGER NOT NULL DEFAULT 0",
      "CREATE INDEX gateway_sessions_age ON gateway_sessions (updated_at)",
      // Whose a conversation is that a chat was in.
      `CREATE TABLE gateway_conversations (
        session_id TEXT NOT NULL,
        platform TEXT NOT NULL,
        user_id TEXT NOT NULL,
        session_key TEXT NOT NULL,
        created_at INTEGER NOT NULL,
        PRIMARY KEY (session_id, platform, user_id)
      )`,
      "CREATE INDEX gateway_conversations_users ON gateway_conversations (platform, user_id, created_at)",
    ],
  },
  {
    to: 8,
    statements: [
      "CREATE INDEX inbox_grants ON inbox (platform, account, chat_id, seq) WHERE reply_grant IS NOT NULL",
      // Answers that wait for a press of their button. `sends`: JSON of what will be sent then; null while the turn runs.
      `CREATE TABLE slow_answers (
        request_id TEXT PRIMARY KEY NOT NULL,
        platform TEXT NOT NULL,
        account TEXT NOT NULL,
        chat_id TEXT NOT NULL,
        user_id TEXT,
        chat_type TEXT NOT NULL,
        turn_id TEXT NOT NULL UNIQUE,
        state TEXT NOT NULL,
        sends TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      )`,
      "CREATE INDEX slow_answers_age ON slow_answers (updated_at)",
      // What other systems may post. `record`: JSON; its secret is in there.
      `CREATE TABLE webhook_subscriptions (
        name TEXT PRIMARY KEY NOT NULL,
        record TEXT NOT NULL,
        created_at INTEGER NOT NULL
      )`,
      // Deliveries that were seen, from their first time. `state`: open, finished or unknown.
      `CREATE TABLE webhook_deliveries (
        route TEXT NOT NULL,
        delivery_id TEXT NOT NULL,
        first_at INTEGER NOT NULL,
        state TEXT NOT NULL,
        PRIMARY KEY (route, delivery_id)
      )`,
      "CREATE INDEX webhook_deliveries_age ON webhook_deliveries (first_at)",
    ],
  },
  {
    to: 9,
    statements: [
      // What the last message of a turn showed that was being written: its cursor is taken away when it is not continued.
      "ALTER TABLE turn_deliveries ADD COLUMN shown TEXT",
    ],
  },
  {
    to: 10,
    statements: [
      // Work on artefacts of meetings, each made by one notification. `step`: where it goes on; `data`: JSON of what is known.
      `CREATE TABLE meeting_jobs (
        id TEXT PRIMARY KEY NOT NULL,
        event_id TEXT NOT NULL UNIQUE,
        subscription_id TEXT NOT NULL,
        resource TEXT NOT NULL,
        change_type TEXT NOT NULL,
        state TEXT NOT NULL,
        step TEXT NOT NULL,
        attempts INTEGER NOT NULL,
        next_at INTEGER NOT NULL,
        data TEXT NOT NULL,
        error TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      )`,
      "CREATE INDEX meeting_jobs_due ON meeting_jobs (state, next_at)",
      // Summaries that went, or may have gone, to a sink.
      `CREATE TABLE meeting_deliveries (
        meeting TEXT NOT NULL,
        sink TEXT NOT NULL,
        state TEXT NOT NULL,
        updated_at INTEGER NOT NULL,
        PRIMARY KEY (meeting, sink)
      )`,
    ],
  },
  {
    to: 11,
    statements: [
      // Subscriptions that this home keeps alive. `due`: the graph asked for it to be looked at now.
      `CREATE TABLE meeting_subscriptions (
        id TEXT PRIMARY KEY NOT NULL,
        resource TEXT NOT NULL,
        change_type TEXT NOT NULL,
        notification_url TEXT NOT NULL,
        expires_at INTEGER NOT NULL,
        state TEXT NOT NULL,
        due INTEGER NOT NULL,
        error TEXT,
        created_at INTEGER NOT NULL,
        updated_at INTEGER NOT NULL
      )`,
    ],
  },
];
