import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import { getDelivery, putDelivery } from "../../../storage/tables/gateway/deliveries.js";
import type { Clock } from "../../base/time/clock.js";
import type { TurnDelivery } from "../../contracts/gateway/outbox.js";

/** What the sender of a turn notes about the messages that show its text. */
export interface Visible {
  readonly mode: TurnDelivery["mode"];
  readonly messageIds: readonly string[];
  /** UTF-16 code units of the final text that are visible for good. */
  readonly prefix: number;
  /** What the last message shows that is being written, without its cursor. */
  readonly shown?: string;
}

/** Delivery records: one for a turn, written by the sender of the turn alone (gateway part, 6.6). */
export interface VisibleTexts {
  /** False: the turn is closed, and nothing may be shown for it any more. */
  note(turn: string, visible: Visible): Promise<boolean>;
  of(turn: string): Promise<TurnDelivery | undefined>;
}

export function createVisibleTexts({ store, clock }: { readonly store: Store; readonly clock: Clock }): VisibleTexts {
  return {
    note: async (turn, { mode, messageIds, prefix, shown = null }) => {
      const row = {
        turn_id: turn,
        mode,
        state: messageIds.length === 0 ? ("none" as const) : ("partial" as const),
        message_ids: JSON.stringify(messageIds),
        delivered_prefix_length: prefix,
        shown,
        updated_at: clock.now(),
      };
      return store.write("deliveries.note", (tx) => putDelivery(tx, row));
    },
    of: (turn) => getDelivery(autocommit(store), turn),
  };
}

/** What of a final text is not visible yet: what is there is not sent again, what is missing is sent. */
export function cutMissingText(
  text: string,
  delivered: Pick<TurnDelivery, "delivered_prefix_length"> | undefined,
): string {
  return text.slice(delivered?.delivered_prefix_length ?? 0);
}
