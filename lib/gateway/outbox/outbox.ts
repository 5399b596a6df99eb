import { autocommit } from "../../../storage/alone.js";
import type { Store, Tx } from "../../../storage/store.js";
import { noteDelivery } from "../../../storage/tables/cron/deliveries.js";
import { takeGrant } from "../../../storage/tables/gateway/grants.js";
import {
  dropSend,
  endSend,
  getSend,
  insertSend,
  insertSendStep,
  isStored,
  type NewOutboxRow,
  pruneSends,
  retrySend,
  type SendEnding,
  sendsIn,
  sendsWith,
  takeDoubts,
} from "../../../storage/tables/gateway/outbox.js";
import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs } from "../../base/units.js";
import type { ReplyGrant } from "../../contracts/board/platform-tag.js";
import type {
  NewSend,
  OutboxRow,
  OutboxState,
  SendKind,
  SendPayload,
  SendTarget,
} from "../../contracts/gateway/outbox.js";
import { type GatewayRules, OUTBOX_PAYLOAD_MS, OUTBOX_ROW_MS } from "../settings/delivery-rules.js";
import { drawSendKey } from "./send-keys.js";
import { laneOf } from "./send-lanes.js";

export interface OutboxDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly rules: GatewayRules;
}

/** Everything that is to be sent, on disk. */
export interface Outbox {
  /** Store messages; those whose source key is there already are left out. They are sent as soon as their lanes allow. @returns how many are new */
  insert(sends: readonly NewSend[]): Promise<number>;
  /** The same for rows that were drafted before. */
  put(rows: readonly NewOutboxRow[]): Promise<number>;
  /** Rows for `insertDrafts`; drawn before the transaction, because a body may run twice. */
  drafts(sends: readonly NewSend[]): readonly NewOutboxRow[];
  /** Say after a commit of one's own that there are new rows. */
  wake(): void;
  /** Called with each row of which a call has ended, once what it came to is stored. */
  onEnd(listener: (id: string, kind: SendKind) => void): () => void;
  /** For the code that stores the outcome of a call. */
  ended(row: Pick<OutboxRow, "id" | "kind">): void;
  onWake(listener: () => void): () => void;
  list(state: OutboxState, limit: number): Promise<readonly OutboxRow[]>;
  get(id: string): Promise<OutboxRow | undefined>;
  /** Rows whose source keys begin with this text, in order. */
  keyed(keys: string): Promise<readonly OutboxRow[]>;
  /** An operator wants a row sent, again if need be. @throws E_NOT_FOUND, E_STATE when it is sent, underway or its text is forgotten */
  retry(id: string): Promise<void>;
  /** An operator gives a row up. @throws E_NOT_FOUND, E_STATE when it is sent or underway */
  drop(id: string): Promise<void>;
  /** How many messages to a chat may not have arrived; each is reported once, to the model of its next turn. */
  takeDoubts(target: SendTarget): Promise<number>;
  /** Forget what is old. */
  prune(): Promise<void>;
}

export function createOutbox(deps: OutboxDeps): Outbox {
  const { store, clock, rules } = deps;
  const listeners = new Set<() => void>();
  const enders = new Set<(id: string, kind: SendKind) => void>();
  const wake = () => {
    for (const listener of listeners) listener();
  };
  const drafts = (sends: readonly NewSend[]) => sends.map((send) => draft(deps, send));
  const put = async (rows: readonly NewOutboxRow[]) => {
    const made = await insertRows(store, rows);
    if (made > 0) wake();
    return made;
  };
  return {
    wake,
    drafts,
    onEnd: (listener) => {
      enders.add(listener);
      return () => enders.delete(listener);
    },
    ended: ({ id, kind }) => {
      for (const ender of enders) ender(id, kind);
    },
    onWake: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    insert: (sends) => put(drafts(sends)),
    put,
    list: (state, limit) => sendsIn(autocommit(store), state, limit),
    get: (id) => getSend(autocommit(store), id),
    keyed: (keys) => sendsWith(autocommit(store), keys),
    retry: async (id) => {
      const now = clock.now();
      const at = { now, expires: now + rules.outboxMaxAgeMs() };
      await store.write("outbox.retry", (tx) => retryRow(tx, id, at));
      wake();
    },
    drop: async (id) => {
      const now = clock.now();
      await store.write("outbox.drop", (tx) => dropRow(tx, id, now));
      wake();
    },
    takeDoubts: (target) => takeDoubts(autocommit(store, "outbox.doubts"), laneOf(target)),
    prune: async () => {
      const now = clock.now();
      await store.write("outbox.prune", (tx) =>
        pruneSends(tx, { payload: now - OUTBOX_PAYLOAD_MS, row: now - OUTBOX_ROW_MS }),
      );
    },
  };
}

function draft({ ids, clock, rules }: OutboxDeps, send: NewSend): NewOutboxRow {
  const { target, turn } = send;
  const now = clock.now();
  return {
    id: `ob_${now.toString(36).padStart(9, "0")}${ids.hex(5)}`,
    kind: send.kind,
    turn_id: turn?.id ?? null,
    seq_in_turn: turn?.seq ?? null,
    platform: target.platform,
    account: target.account,
    chat_id: target.chatId,
    thread_id: target.threadId,
    reply_to: target.replyTo,
    lane: laneOf(target),
    via: send.via ?? "send",
    source_key: send.sourceKey ?? null,
    idem_key: drawSendKey(ids, target.platform),
    next_attempt_at: now,
    expires_at: now + rules.outboxMaxAgeMs(),
    created_at: now,
    payload: JSON.stringify(send.payload),
  };
}

/** Replies take a right of their chat, which needs more than one message. @returns how many are new */
async function insertRows(store: Store, rows: readonly NewOutboxRow[]): Promise<number> {
  if (rows.some(({ via }) => via === "reply")) return store.write("outbox.insert", (tx) => insertDrafts(tx, rows));
  const made = await store.script("outbox.insert", rows.map(insertSendStep));
  return made.filter((one) => one.length > 0).length;
}

/** Store rows in a transaction of the caller. @returns how many are new */
export async function insertDrafts(tx: Tx, rows: readonly NewOutboxRow[]): Promise<number> {
  let made = 0;
  for (const row of rows) if (await insertSend(tx, await withGrant(tx, row))) made += 1;
  return made;
}

/** A reply without a right takes the newest that its chat has; without any it is sent as another message would be. */
async function withGrant(tx: Tx, row: NewOutboxRow): Promise<NewOutboxRow> {
  if (row.via !== "reply" || row.payload === null) return row;
  const payload: SendPayload = JSON.parse(row.payload); // written by `draft`
  if (payload.grant !== undefined) return row;
  if (row.source_key !== null && (await isStored(tx, row.source_key))) return row;
  const text = await takeGrant(tx, row, row.created_at);
  if (text === undefined) return { ...row, via: "send" };
  const grant: ReplyGrant = JSON.parse(text); // written by the inbox
  return { ...row, payload: JSON.stringify({ ...payload, grant }) };
}

/** Store what happens to a row, with its event and, for an answer that is lost for good, the one notice of that. */
export async function storeEnding(
  tx: Tx,
  row: OutboxRow,
  ending: SendEnding,
  { now, notice }: { readonly now: EpochMs; readonly notice: NewOutboxRow | undefined },
): Promise<boolean> {
  if (!(await endSend(tx, { id: row.id, from: row.state }, ending, now))) return false;
  if (ending.state === "unknown" || ending.state === "failed") {
    const { id, kind, platform, account, chat_id } = row;
    tx.emit({
      kind: `outbox.${ending.state}`,
      at: now,
      payload: { id, kind, platform, account, chat_id, error: ending.error },
    });
  }
  if (ending.state === "failed" && notice !== undefined) await insertSend(tx, notice);
  if (row.kind === "cron") await noteDelivery(tx, row.id);
  return true;
}

/** The notice that an answer could not be delivered: one for a turn, none for other messages. */
export function failureNotice(row: OutboxRow): NewSend | undefined {
  if (row.kind !== "answer" && row.kind !== "reply") return undefined;
  const { platform, account, chat_id: chatId, thread_id: threadId } = row;
  return {
    kind: "notice",
    target: { platform, account, chatId, threadId, replyTo: null },
    payload: {
      text: "⚠️ An answer could not be delivered here. Ask again, or read it with /resume.",
      format: "plain",
      silent: false,
    },
    sourceKey: `failed:${row.turn_id ?? row.id}`,
  };
}

async function mustGet(tx: Tx, id: string): Promise<OutboxRow> {
  const row = await getSend(tx, id);
  if (row === undefined) throw new AppError("E_NOT_FOUND", `no such outbound message: ${id}`, { id });
  return row;
}

async function retryRow(tx: Tx, id: string, at: { readonly now: EpochMs; readonly expires: EpochMs }): Promise<void> {
  const row = await mustGet(tx, id);
  if (row.state === "sent" || row.state === "sending") throw inState(row, "cannot be sent again");
  if (row.payload === null)
    throw new AppError("E_STATE", `the text of outbound message ${id} is no longer stored`, { id });
  await retrySend(tx, { id, from: row.state }, at);
  if (row.kind === "cron") await noteDelivery(tx, id);
}

async function dropRow(tx: Tx, id: string, now: EpochMs): Promise<void> {
  const row = await mustGet(tx, id);
  if (row.state === "sent" || row.state === "sending") throw inState(row, "cannot be discarded");
  await dropSend(tx, { id, from: row.state }, now);
  if (row.kind === "cron") await noteDelivery(tx, id);
}

function inState({ id, state }: OutboxRow, what: string): AppError {
  const hint = state === "sending" ? "wait until its outcome is known" : "agent gateway outbox lists unsent messages";
  return new AppError("E_STATE", `outbound message ${id} is ${state} and ${what}`, { id, state, hint });
}
