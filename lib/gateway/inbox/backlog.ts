import type { Store } from "../../../storage/store.js";
import { finishInbox, receivedInbox } from "../../../storage/tables/gateway/inbox.js";
import { LIMITS } from "../../base/limits.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { InboxRow } from "../../contracts/board/platform-tag.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { insertDrafts, type Outbox } from "../outbox/outbox.js";

export interface BacklogDeps {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly clock: Clock;
}

/**
 * Give up messages that were not looked at for too long; each chat is notified once of their number, in the commit that gives them up. For the
 * start, before messages are admitted.
 *
 * @param maxAge `gateway.backlog_max_age_hours`; 0: no limit
 * @returns how many
 */
export async function expireBacklog({ store, outbox, clock }: BacklogDeps, maxAge: Ms): Promise<number> {
  const now = clock.now();
  const waiting = await store.read((q) => receivedInbox(q, LIMITS.inboxOpen));
  let count = 0;
  for (const rows of byChat(waiting.filter((row) => isTooOld(row, now, maxAge)))) {
    const drafts = outbox.drafts(noticeOf(rows));
    await store.write("inbox.expire", async (tx) => {
      for (const row of rows) await finishInbox(tx, row.seq, EXPIRED, now);
      await insertDrafts(tx, drafts);
    });
    count += rows.length;
  }
  if (count > 0) outbox.wake();
  return count;
}

const EXPIRED = { state: "expired", reason: "too old" } as const;

type Rows = readonly [InboxRow, ...InboxRow[]];

function byChat(rows: readonly InboxRow[]): readonly Rows[] {
  const chats = new Map<string, [InboxRow, ...InboxRow[]]>();
  for (const row of rows) {
    const key = JSON.stringify([row.platform, row.account, row.chat_id, row.thread_id]);
    const known = chats.get(key);
    if (known === undefined) chats.set(key, [row]);
    else known.push(row);
  }
  return [...chats.values()];
}

function noticeOf(rows: Rows): readonly NewSend[] {
  const [{ seq, platform, account, chat_id: chatId, thread_id: threadId }] = rows;
  if (chatId === null) return [];
  const text = `${rows.length} older ${rows.length === 1 ? "message was" : "messages were"} not answered because of their age. Send again what is still relevant.`;
  const target = { platform, account, chatId, threadId, replyTo: null };
  return [{ kind: "notice", target, payload: { text, format: "plain", silent: false }, sourceKey: `expired:${seq}` }];
}

/** Whether a message waited longer than it may, by the time at which it was sent. */
function isTooOld(row: Pick<InboxRow, "sent_at" | "received_at">, now: EpochMs, maxAge: Ms): boolean {
  return maxAge > 0 && (row.sent_at ?? row.received_at) < now - maxAge;
}
