import type { Store, Tx } from "../../../storage/store.js";
import { writeCursor, writeCursorStep } from "../../../storage/tables/gateway/accounts.js";
import {
  acceptedRow,
  countOpenInbox,
  inboxStateOf,
  insertInbox,
  type NewInboxRow,
  takeInboxStep,
} from "../../../storage/tables/gateway/inbox.js";
import { LIMITS } from "../../base/limits.js";
import type { EpochMs } from "../../base/units.js";
import type { Cursor, InboxRow } from "../../contracts/board/platform-tag.js";
import type { InboxQuota } from "./inbox-quota.js";

/** Rows of one delivery of a platform and the place behind them. */
export interface InboxDelivery {
  readonly rows: readonly NewInboxRow[];
  readonly cursor: Cursor | undefined;
  readonly now: EpochMs;
}

/** For each row what is in the inbox now; undefined: the event was there already. */
type Taken = readonly (InboxRow | undefined)[];

/** Store what is new of a delivery with its cursor, in one commit. Undefined: there is no room for all that is new; nothing is stored then, and the cursor stays. */
export async function takeDelivery(
  store: Store,
  room: InboxQuota,
  delivery: InboxDelivery,
): Promise<Taken | undefined> {
  const { rows } = delivery;
  const platform = rows[0]?.platform;
  if (platform === undefined) return storeTogether(store, delivery);
  if (room.take(platform, rows.length)) {
    let made = rows.length; // where nobody knows whether it is stored
    try {
      const taken = await storeTogether(store, delivery);
      made = accepted(taken);
      return taken;
    } finally {
      room.stored(platform, rows.length, made);
    }
  }
  const counted = room.counting(platform);
  const { open, taken } = await store.write("inbox.accept", (tx) => storeAll(tx, delivery));
  counted(open + accepted(taken ?? []));
  return taken;
}

const accepted = (taken: Taken): number => taken.filter((one) => one !== undefined).length;

/** In one message, which deliveries that come at the same time share. */
async function storeTogether(store: Store, { rows, cursor, now }: InboxDelivery): Promise<Taken> {
  const steps = [...rows.map(takeInboxStep), ...(cursor ? [writeCursorStep(cursor, now)] : [])];
  if (steps.length === 0) return [];
  const made = await store.script("inbox.accept", steps);
  return rows.map((row, at) => {
    const seq = made[at]?.[0]?.["seq"];
    return typeof seq === "number" ? acceptedRow(seq, row) : undefined;
  });
}

interface Counted {
  /** Before it. */
  readonly open: number;
  readonly taken: Taken | undefined;
}

async function storeAll(tx: Tx, { rows, cursor, now }: InboxDelivery): Promise<Counted> {
  const fresh = new Set<NewInboxRow>();
  for (const row of rows) if ((await inboxStateOf(tx, { ...row, eventId: row.event_id })) === undefined) fresh.add(row);
  const platform = rows[0]?.platform;
  const open = platform === undefined ? 0 : await countOpenInbox(tx, platform, LIMITS.inboxOpen);
  if (fresh.size > 0 && open + fresh.size > LIMITS.inboxOpen) return { open, taken: undefined };
  const taken: (InboxRow | undefined)[] = [];
  for (const row of rows) {
    const again = !fresh.has(row) || (await inboxStateOf(tx, { ...row, eventId: row.event_id })) !== undefined;
    taken.push(again ? undefined : acceptedRow(await insertInbox(tx, row), row));
  }
  if (cursor !== undefined) await writeCursor(tx, cursor, now);
  return { open, taken };
}
