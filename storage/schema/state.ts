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
];
