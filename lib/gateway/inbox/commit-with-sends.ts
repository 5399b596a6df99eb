import { alone } from "../../../storage/alone.js";
import type { Args, Store, Tx } from "../../../storage/store.js";
import { newestGrant, takeGrantStep } from "../../../storage/tables/gateway/grants.js";
import { insertSendStep, isStored, type NewOutboxRow } from "../../../storage/tables/gateway/outbox.js";
import { AppError } from "../../base/errors.js";
import type { ReplyGrant } from "../../contracts/board/platform-tag.js";
import type { SendPayload } from "../../contracts/gateway/outbox.js";
import { insertDrafts } from "../outbox/outbox.js";

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

/** Store it in one message, so that nobody waits for its answers. @returns whether it was made: false where a change met other rows than it expects */
export async function storeWhole(store: Store, label: string, whole: CommitWithSends): Promise<boolean> {
  const found = await withRight(store, whole.drafts);
  if (found === undefined) return storeByBody(store, label, whole);
  const steps = [...whole.changes, ...found.taken, ...found.drafts.map(insertSendStep)];
  try {
    await store.script(label, steps);
    return true;
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "E_CONFLICT") throw error;
    // Somebody else took the right to reply meanwhile.
    return Number(error.data["step"]) < whole.changes.length ? false : storeByBody(store, label, whole);
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
  const looks = alone(store);
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
    throw new AppError("E_CONFLICT", `a change met ${met} rows instead of ${expect}`, { count: met });
}
