/** The two commits of the inbox: a delivery with its cursor, and changes of rows with what is sent for them. */
import { autocommit } from "../../../storage/alone.js";
import type { Args, Store, Tx } from "../../../storage/store.js";
import { writeCursor, writeCursorStep } from "../../../storage/tables/gateway/accounts.js";
import { newestGrant, takeGrantStep } from "../../../storage/tables/gateway/grants.js";
import {
  acceptedRow,
  countOpenInbox,
  inboxStateOf,
  insertInbox,
  type NewInboxRow,
  takeInboxStep,
} from "../../../storage/tables/gateway/inbox.js";
import { insertSendStep, isStored, type NewOutboxRow } from "../../../storage/tables/gateway/outbox.js";
import { AppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { EpochMs } from "../../base/units.js";
import type { Cursor, InboxRow, ReplyGrant } from "../../contracts/board/platform-tag.js";
import type { SendPayload } from "../../contracts/gateway/outbox.js";
import { insertDrafts } from "../outbox/outbox.js";
import type { InboxQuota } from "./inbox-quota.js";

/** Rows of one delivery of a platform and the place behind them. */
export interface InboxDelivery {
  readonly rows: readonly NewInboxRow[];
  readonly cursor: Cursor | undefined;
  readonly now: EpochMs;
}

/** For each row what is in the inbox now; undefined: the event was there already. */
type Taken = readonly (InboxRow | undefined)[];

/** Store what is new of a delivery with its cursor, in one commit. Undefined: the inbox is too full for all that is new; nothing is stored then, and the cursor stays. */
export async function takeDelivery(
  store: Store,
  room: InboxQuota,
  delivery: InboxDelivery,
): Promise<Taken | undefined> {
  const { rows } = delivery;
  const platform = rows[0]?.platform;
  if (platform === undefined) return storeTogether(store, delivery);
  if (room.take(platform, rows.length)) {
    let made = rows.length; // where it is unknown whether it is stored
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

/** A step that takes nothing from others. */
export interface StoreChange {
  readonly sql: string;
  readonly args: Args;
  /** Rows that it has to concern, or nothing is done. */
  readonly expect?: number;
}

/** Changes with what is sent for them, in one commit. */
export interface CommitWithSends {
  readonly changes: readonly StoreChange[];
  readonly drafts: readonly NewOutboxRow[];
}

/** Store it in one message, so that nothing waits for its answers. @returns whether it was made: false where a change met other rows than it expects */
export async function storeWithSends(store: Store, label: string, commit: CommitWithSends): Promise<boolean> {
  const found = await withRight(store, commit.drafts);
  if (found === undefined) return storeByBody(store, label, commit);
  const steps = [...commit.changes, ...found.taken, ...found.drafts.map(insertSendStep)];
  try {
    await store.script(label, steps);
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "E_CONFLICT") throw error;
    // Another send used the right to reply meanwhile.
    return Number(error.data["step"]) < commit.changes.length ? false : storeByBody(store, label, commit);
  }
}

interface Granted {
  readonly drafts: readonly NewOutboxRow[];
  readonly taken: readonly StoreChange[];
}

/** Drafts of which the reply has the newest right of its chat, as `insertDrafts` would give it; undefined where several want one. */
async function withRight(store: Store, drafts: readonly NewOutboxRow[]): Promise<Granted | undefined> {
  const [wanting, ...others] = drafts.filter(wantsRight);
  if (wanting === undefined) return { drafts, taken: [] };
  if (others.length > 0) return undefined;
  const looks = autocommit(store);
  const [found, stored] = await Promise.all([
    newestGrant(looks, wanting, wanting.created_at),
    wanting.source_key === null ? false : isStored(looks, wanting.source_key),
  ]);
  if (stored) return { drafts, taken: [] }; // it is not stored again, and needs no right
  const put = (row: NewOutboxRow) => drafts.map((draft) => (draft === wanting ? row : draft));
  if (found === undefined) return { drafts: put({ ...wanting, via: "send" }), taken: [] };
  const grant: ReplyGrant = JSON.parse(found.reply_grant); // written by the inbox
  const payload = JSON.stringify({ ...payloadOf(wanting), grant });
  return { drafts: put({ ...wanting, payload }), taken: [takeGrantStep(found.seq)] };
}

const wantsRight = (row: NewOutboxRow): boolean =>
  row.via === "reply" && row.payload !== null && payloadOf(row)?.grant === undefined;

/** Written by `draft`. */
const payloadOf = ({ payload }: NewOutboxRow): SendPayload | undefined =>
  payload === null ? undefined : JSON.parse(payload);

async function storeByBody(store: Store, label: string, { changes, drafts }: CommitWithSends): Promise<boolean> {
  try {
    await store.write(label, async (tx) => {
      for (const change of changes) await make(tx, change);
      await insertDrafts(tx, drafts);
    });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "E_CONFLICT") return false;
    throw error;
  }
}

/** @throws E_CONFLICT where it meets other rows than it expects */
async function make(tx: Tx, { sql, args, expect }: StoreChange): Promise<void> {
  const met = await tx.run(sql, args);
  if (expect !== undefined && met !== expect)
    throw new AppError("E_CONFLICT", `a change affected ${met} rows instead of ${expect}`, { count: met });
}
