import type { EpochMs } from "../../../lib/base/units.js";
import type { Query, Tx } from "../../store.js";

/** Which chat a right to reply belongs to. */
interface GrantChat {
  readonly platform: string;
  readonly account: string;
  readonly chat_id: string;
}

/** Rows that are looked at for a right that still holds. */
const NEWEST = 20;

/** The newest right to reply of a chat that holds at `now`, as JSON of a `ReplyGrant`. It belongs to its taker: it is given once. */
export async function takeGrant(tx: Tx, chat: GrantChat, now: EpochMs): Promise<string | undefined> {
  const found = await newestGrant(tx, chat, now);
  if (found === undefined) return undefined;
  await tx.run("UPDATE inbox SET reply_grant = NULL WHERE seq = ?", [found.seq]);
  return found.reply_grant;
}

/** Take a right that was found, as a step of a script, which fails with E_CONFLICT where it was taken meanwhile. */
export function takeGrantStep(seq: number) {
  return {
    sql: "UPDATE inbox SET reply_grant = NULL WHERE seq = ? AND reply_grant IS NOT NULL",
    args: [seq],
    expect: 1,
  };
}

/** The newest right to reply of a chat that holds at `now`, left where it is. */
export async function newestGrant(
  q: Query,
  { platform, account, chat_id }: GrantChat,
  now: EpochMs,
): Promise<{ readonly seq: number; readonly reply_grant: string; readonly received_at: EpochMs } | undefined> {
  const rows = await q.all<{ seq: number; reply_grant: string; received_at: EpochMs }>(
    `SELECT seq, reply_grant, received_at FROM inbox
     WHERE platform = ? AND account = ? AND chat_id = ? AND reply_grant IS NOT NULL ORDER BY seq DESC LIMIT ?`,
    [platform, account, chat_id, NEWEST],
  );
  return rows.find(({ reply_grant: text }) => {
    const { expiresAt = null } = JSON.parse(text) as { readonly expiresAt?: EpochMs | null }; // written by the inbox
    return expiresAt !== null && expiresAt > now;
  });
}
