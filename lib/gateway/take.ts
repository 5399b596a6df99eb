import type { Store, Tx } from "../../storage/store.js";
import { writeCursor, writeCursorStep } from "../../storage/tables/gateway-accounts.js";
import { countOpenInbox, inboxStateOf, insertInbox, type NewInboxRow, takeInboxStep } from "../../storage/tables/gateway-inbox.js";
import { LIMITS } from "../base/limits.js";
import type { EpochMs } from "../base/units.js";
import type { Acceptance, Cursor } from "../proto/gateway.js";
import type { Room } from "./room.js";

/** Rows of one delivery of a platform, undefined where an event can never be taken, and the place behind them. */
export interface Delivery {
  readonly rows: readonly (NewInboxRow | undefined)[];
  readonly cursor: Cursor | undefined;
  readonly now: EpochMs;
}

type Answers = readonly Exclude<Acceptance, "busy">[];

/** Store what is new of a delivery with its cursor, in one commit. Undefined: there is no room for all that is new; nothing is stored then, and the cursor stays. */
export async function takeDelivery(store: Store, room: Room, delivery: Delivery): Promise<Answers | undefined> {
  const rows = delivery.rows.filter((row) => row !== undefined);
  const platform = rows[0]?.platform;
  if (platform === undefined) return store.write("inbox.accept", async (tx) => (await storeAll(tx, delivery)).answers);
  if (room.take(platform, rows.length)) {
    let made = rows.length; // where nobody knows whether it is stored
    try {
      const answers = await storeTogether(store, delivery);
      made = accepted(answers);
      return answers;
    } finally {
      room.stored(platform, rows.length, made);
    }
  }
  const counted = room.counting(platform);
  const { open, answers } = await store.write("inbox.accept", (tx) => storeAll(tx, delivery));
  counted(open + accepted(answers ?? []));
  return answers;
}

const accepted = (answers: Answers): number => answers.filter((one) => one === "accepted").length;

/** In one message, which deliveries that come at the same time share. */
async function storeTogether(store: Store, { rows, cursor, now }: Delivery): Promise<Answers> {
  const steps = [
    ...rows.flatMap((row) => (row === undefined ? [] : [takeInboxStep(row)])),
    ...(cursor ? [writeCursorStep(cursor, now)] : []),
  ];
  const made = (await store.script("inbox.accept", steps)).values();
  return rows.map((row) => {
    if (row === undefined) return "refused";
    return (made.next().value?.length ?? 0) > 0 ? "accepted" : "duplicate";
  });
}

interface Counted {
  /** Before it. */
  readonly open: number;
  readonly answers: Answers | undefined;
}

async function storeAll(tx: Tx, { rows, cursor, now }: Delivery): Promise<Counted> {
  const fresh = new Set<NewInboxRow>();
  for (const row of rows)
    if (row !== undefined && (await inboxStateOf(tx, { ...row, eventId: row.event_id })) === undefined) fresh.add(row);
  const platform = rows.find((row) => row !== undefined)?.platform;
  const open = platform === undefined ? 0 : await countOpenInbox(tx, platform, LIMITS.inboxOpen);
  if (fresh.size > 0 && open + fresh.size > LIMITS.inboxOpen) return { open, answers: undefined };
  const answers: Exclude<Acceptance, "busy">[] = [];
  for (const row of rows) {
    if (row === undefined) answers.push("refused");
    else if (!fresh.has(row) || (await inboxStateOf(tx, { ...row, eventId: row.event_id })) !== undefined) answers.push("duplicate");
    else {
      await insertInbox(tx, row);
      answers.push("accepted");
    }
  }
  if (cursor !== undefined) await writeCursor(tx, cursor, now);
  return { open, answers };
}
