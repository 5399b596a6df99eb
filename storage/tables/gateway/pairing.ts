import type { EpochMs } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";

/** Who may talk because a code was approved. */
export interface PairingRow {
  readonly platform: string;
  readonly user_id: string;
  readonly user_name: string | null;
  readonly approved_at: EpochMs;
}

/** Who asked. `code_hash` null: no code was free. */
export interface PairingRequestRow {
  readonly platform: string;
  readonly user_id: string;
  readonly user_name: string | null;
  readonly event_id: string;
  readonly salt: string;
  readonly code_hash: string | null;
  readonly asked_at: EpochMs;
  readonly expires_at: EpochMs;
}

export interface PairingGuesses {
  readonly wrong: number;
  readonly locked_until: EpochMs;
}

export async function isPaired(q: Query, platform: string, ids: readonly string[]): Promise<boolean> {
  const places = ids.map(() => "?").join(", ");
  const sql = `SELECT 1 AS x FROM pairings WHERE platform = ? AND user_id IN (${places}) LIMIT 1`;
  return ids.length > 0 && (await q.get(sql, [platform, ...ids])) !== undefined;
}

export const pairings = (q: Query): Promise<PairingRow[]> =>
  q.all<PairingRow>(
    "SELECT platform, user_id, user_name, approved_at FROM pairings ORDER BY platform, approved_at, user_id",
    [],
  );

export async function addPairing(tx: Tx, { platform, user_id, user_name, approved_at }: PairingRow): Promise<void> {
  await tx.run(
    `INSERT INTO pairings (platform, user_id, user_name, approved_at) VALUES (?, ?, ?, ?)
     ON CONFLICT (platform, user_id) DO UPDATE SET user_name = excluded.user_name, approved_at = excluded.approved_at`,
    [platform, user_id, user_name, approved_at],
  );
}

/** @returns how many there were */
export const removePairing = (tx: Tx, platform: string, user: string): Promise<number> =>
  tx.run("DELETE FROM pairings WHERE platform = ? AND user_id = ?", [platform, user]);

const REQUEST = "platform, user_id, user_name, event_id, salt, code_hash, asked_at, expires_at";

/** Requests that have not expired, the oldest first. */
export const pairingRequests = (q: Query, now: EpochMs, platform?: string): Promise<PairingRequestRow[]> =>
  q.all<PairingRequestRow>(
    `SELECT ${REQUEST} FROM pairing_requests WHERE expires_at > ?${platform === undefined ? "" : " AND platform = ?"} ORDER BY asked_at, user_id`,
    platform === undefined ? [now] : [now, platform],
  );

export async function setPairingRequest(tx: Tx, row: PairingRequestRow): Promise<void> {
  const { platform, user_id, user_name, event_id, salt, code_hash, asked_at, expires_at } = row;
  await tx.run("DELETE FROM pairing_requests WHERE platform = ? AND user_id = ?", [platform, user_id]);
  await tx.run(`INSERT INTO pairing_requests (${REQUEST}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`, [
    platform,
    user_id,
    user_name,
    event_id,
    salt,
    code_hash,
    asked_at,
    expires_at,
  ]);
}

/** @returns how many codes could still have been approved */
export async function clearPairingRequests(tx: Tx, now: EpochMs): Promise<number> {
  const sql = "SELECT count(*) AS n FROM pairing_requests WHERE expires_at > ? AND code_hash IS NOT NULL";
  const open = (await tx.get<{ n: number }>(sql, [now]))?.n ?? 0;
  await tx.run("DELETE FROM pairing_requests", []);
  return open;
}

export const prunePairingRequests = (tx: Tx, now: EpochMs): Promise<number> =>
  tx.run("DELETE FROM pairing_requests WHERE expires_at <= ?", [now]);

export async function pairingGuesses(q: Query, platform: string): Promise<PairingGuesses> {
  const sql = "SELECT wrong, locked_until FROM pairing_guesses WHERE platform = ?";
  return (await q.get<PairingGuesses>(sql, [platform])) ?? { wrong: 0, locked_until: 0 };
}

export async function setPairingGuesses(
  tx: Tx,
  platform: string,
  { wrong, locked_until }: PairingGuesses,
): Promise<void> {
  await tx.run(
    `INSERT INTO pairing_guesses (platform, wrong, locked_until) VALUES (?, ?, ?)
     ON CONFLICT (platform) DO UPDATE SET wrong = excluded.wrong, locked_until = excluded.locked_until`,
    [platform, wrong, locked_until],
  );
}
