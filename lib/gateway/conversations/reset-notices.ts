import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import { entryAt, resetTold } from "../../../storage/tables/gateway/sessions.js";
import type { Inbound, InboxBatch } from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd } from "../../contracts/gateway/outbox.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { Outbox } from "../outbox/outbox.js";
import { toSendTarget } from "../targets/event-target.js";
import { lastOf } from "../text/answer-sends.js";
import { appendLine } from "../text/message-parts.js";
import type { Conversations } from "./conversations.js";
import { type ResetPolicy, resetNotice } from "./reset-policy.js";

export interface ResetNoticesDeps {
  readonly store: Store;
  readonly conversations: Pick<Conversations, "open">;
  readonly outbox: () => Pick<Outbox, "insert">;
  /** @throws E_CONFIG */
  readonly policy: (event: Inbound) => ResetPolicy;
}

/** Notice that a chat was reset, sent with the first turn after it (gateway part, 7.3). */
export interface ResetNotices {
  /** Tell it, once. @returns the notice where it belongs into the answer */
  tell(turn: string, batch: InboxBatch): Promise<string | undefined>;
  /** The answer with the notice at its head. */
  head(batch: InboxBatch, end: InboxTurnEnd, notice: string | undefined): InboxTurnEnd;
}

export function createResetNotices(deps: ResetNoticesDeps): ResetNotices {
  return {
    tell: async (turn, batch) => {
      const event = lastOf(batch);
      const notice = event === undefined ? undefined : await noticeOf(deps, batch, event);
      if (event === undefined || notice === undefined) return undefined;
      const target = toSendTarget(event);
      // Where messages are few it is the first line of the answer, not a message of its own.
      const { sparing } = traitsOf(event.platform);
      if (!sparing && target !== undefined) {
        const payload = { text: notice, format: "plain", silent: true } as const;
        await deps.outbox().insert([{ kind: "notice", target, payload, sourceKey: `reset:${turn}` }]);
      }
      await deps.store.write("gateway.reset-told", (tx) => resetTold(tx, batch.sessionKey));
      return sparing ? notice : undefined;
    },
    head: (batch, end, notice) => {
      const event = lastOf(batch);
      return event === undefined || notice === undefined ? end : headed(end, notice, event);
    },
  };
}

async function noticeOf(
  { store, conversations, policy }: ResetNoticesDeps,
  { sessionKey }: InboxBatch,
  event: Inbound,
): Promise<string | undefined> {
  await conversations.open(sessionKey, event);
  const entry = await entryAt(autocommit(store), sessionKey);
  if (entry?.was_auto_reset !== 1 || entry.reset_had_activity !== 1) return undefined;
  const { notify, notify_exclude_platforms: silent } = policy(event);
  return notify && !silent.includes(event.platform) ? resetNotice(entry.auto_reset_reason) : undefined;
}

/** The notice before the first text; as a message of its own where both do not fit into one. */
function headed(end: InboxTurnEnd, notice: string, { platform }: Inbound): InboxTurnEnd {
  const [first, ...rest] = end.sends;
  if (first === undefined) return end;
  const payload = appendLine(platform, first.payload, notice, "before");
  if (payload !== undefined) return { ...end, sends: [{ ...first, payload }, ...rest] };
  const { turn: _, via: _right, sourceKey: key = "", ...own } = first; // the right to reply is for the answer
  return {
    ...end,
    sends: [
      { ...own, payload: { text: notice, format: "plain", silent: true }, sourceKey: `${key}:reset` },
      ...end.sends,
    ],
  };
}

/** That a message has to wait because too many other sessions run (gateway part, 7.4). */
export async function tellFull(
  outbox: Pick<Outbox, "insert">,
  batch: InboxBatch,
  running: number,
  most: number,
): Promise<void> {
  const event = lastOf(batch);
  const target = event && toSendTarget(event);
  const first = batch.rows[0]?.seq;
  if (target === undefined || first === undefined) return;
  const text = `⏳ The gateway is at its limit (${running}/${most}); your message is queued.`;
  await outbox.insert([
    { kind: "notice", target, payload: { text, format: "plain", silent: true }, sourceKey: `full:${first}` },
  ]);
}
