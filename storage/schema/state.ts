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
];
