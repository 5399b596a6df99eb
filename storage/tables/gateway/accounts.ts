import type { EpochMs } from "../../../lib/base/units.js";
import type { Account, Cursor, FirstConnect } from "../../../lib/contracts/board/platform-tag.js";
import type { Query, Step, Tx } from "../../store.js";

/** Where the poller of an account goes on; undefined before its first poll. */
export async function readCursor(q: Query, { platform, account }: Account, name: string): Promise<string | undefined> {
  const sql = "SELECT value FROM platform_cursors WHERE platform = ? AND account = ? AND name = ?";
  return (await q.get<{ value: string }>(sql, [platform, account, name]))?.value;
}

export async function writeCursor(tx: Tx, cursor: Cursor, now: EpochMs): Promise<void> {
  const { sql, args } = writeCursorStep(cursor, now);
  await tx.run(sql, args);
}

/** The same as a step of a script. */
export function writeCursorStep({ platform, account, name, value }: Cursor, now: EpochMs) {
  const sql = `INSERT INTO platform_cursors (platform, account, name, value, updated_at) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (platform, account, name) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;
  return { sql, args: [platform, account, name, value, now] } satisfies Step;
}

/** Note that an account was connected; only the first time counts. */
export async function noteConnect(tx: Tx, { platform, account }: Account, now: EpochMs): Promise<FirstConnect> {
  const sql = "SELECT first_connected_at AS at FROM platform_accounts WHERE platform = ? AND account = ?";
  const known = await tx.get<{ at: EpochMs }>(sql, [platform, account]);
  if (known) return { first: false, at: known.at };
  await tx.run("INSERT INTO platform_accounts (platform, account, first_connected_at) VALUES (?, ?, ?)", [
    platform,
    account,
    now,
  ]);
  return { first: true, at: now };
}

const pausedKey = (tag: string): string => `gateway.paused.${tag}`;

/** Whether the user paused this platform; it stays so over restarts. */
export async function isPaused(q: Query, tag: string): Promise<boolean> {
  return (await q.get("SELECT value FROM kv WHERE key = ?", [pausedKey(tag)])) !== undefined;
}

export async function setPaused(tx: Tx, tag: string, paused: boolean, now: EpochMs): Promise<void> {
  await tx.run("DELETE FROM kv WHERE key = ?", [pausedKey(tag)]);
  if (paused) await tx.run("INSERT INTO kv (key, value, updated_at) VALUES (?, ?, ?)", [pausedKey(tag), "1", now]);
}
