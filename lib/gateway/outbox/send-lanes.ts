import type { LaneHead } from "../../../storage/tables/gateway/outbox.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { SendTarget } from "../../contracts/gateway/outbox.js";

/** Name of the lane of a target: what goes to one chat or thread leaves in order, beside all else. */
export function laneOf({ platform, account, chatId, threadId }: SendTarget): string {
  return JSON.stringify([platform, account, chatId, threadId]);
}

/** What a look at the heads of lanes gives. */
export interface Picked<H extends LaneHead> {
  /** To be sent now. */
  readonly start: readonly H[];
  /** Until the next one is due; undefined when nothing waits for time alone. */
  readonly next: Ms | undefined;
  /** Some are due and wait for nothing but the pace of their chats. */
  readonly paced: boolean;
}

/** What is under way, and what may be begun. */
export interface Slots {
  /** Lanes whose head is on its way. */
  readonly busy: ReadonlySet<string>;
  /** Calls that may be begun. */
  readonly free: number;
  /** Chats that must not be sent to, each with its time. */
  readonly resting: ReadonlyMap<string, Ms>;
}

/** Choose the heads that are due. A head that is being sent, or waits, holds its own lane alone. */
export function pickDueHeads<H extends LaneHead>(
  heads: readonly H[],
  now: EpochMs,
  { busy, free, resting }: Slots,
): Picked<H> {
  const start: H[] = [];
  let next: Ms | undefined;
  let paced = false;
  for (const head of heads) {
    if (busy.has(head.lane) || head.state === "sending") continue;
    // A row that was written later than now was written before the clock was set back: its time says nothing.
    const due = head.updated_at > now ? 0 : head.next_attempt_at - now;
    const wait = Math.max(due, resting.get(head.chat_id) ?? 0);
    paced ||= due <= 0 && wait > 0;
    if (wait > 0) next = Math.min(next ?? wait, wait);
    else if (start.length < free) start.push(head);
  }
  return { start, next, paced };
}
