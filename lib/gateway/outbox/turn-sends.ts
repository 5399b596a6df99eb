import type { Store } from "../../../storage/store.js";
import { getDelivery } from "../../../storage/tables/gateway/deliveries.js";
import { dropTurnSends, sendingOf } from "../../../storage/tables/gateway/outbox.js";
import type { Clock } from "../../base/time/clock.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { insertDrafts, type Outbox } from "./outbox.js";

export interface TurnSendsDeps {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly clock: Clock;
}

/** Messages of turns that still run. */
export interface TurnSends {
  /** Store messages of a turn while it is open. @returns ids of those that are new; none when the turn was ended */
  insert(turn: string, sends: readonly NewSend[]): Promise<readonly string[]>;
  /** Give up what waits of a turn: it was withdrawn. */
  drop(turn: string): Promise<void>;
}

export function createTurnSends({ store, outbox, clock }: TurnSendsDeps): TurnSends {
  return {
    insert: async (turn, sends) => {
      const rows = outbox.drafts(sends);
      const made = await store.write("turn.sends", async (tx) => {
        if ((await getDelivery(tx, turn))?.closed === 1) return [];
        const stored: string[] = [];
        for (const row of rows) if ((await insertDrafts(tx, [row])) === 1) stored.push(row.id);
        return stored;
      });
      if (made.length > 0) outbox.wake();
      return made;
    },
    drop: async (turn) => {
      const dropped = async () => {
        const now = clock.now();
        if ((await store.write("turn.drop", (tx) => dropTurnSends(tx, turn, now))) > 0) outbox.wake();
        if ((await store.read((q) => sendingOf(q, turn))).length === 0) stop();
      };
      // A call that was begun may still end with a wait for the next one.
      const stop = outbox.onEnd(() => {
        dropped().catch(() => undefined); // ok to lose: it is sent once more, as a row of a turn that was not stopped
      });
      await dropped();
    },
  };
}
