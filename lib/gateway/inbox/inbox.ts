import { autocommit } from "../../../storage/alone.js";
import type { Query, Store } from "../../../storage/store.js";
import { noteConnect, readCursor } from "../../../storage/tables/gateway/accounts.js";
import { closeDeliveryStep, pruneDeliveries } from "../../../storage/tables/gateway/deliveries.js";
import {
  admitInboxSteps,
  beginTurnSteps,
  countWaiting,
  endInboxTurnStep,
  finishInboxStep,
  inboxPayload,
  openInbox,
  pruneInbox,
  readySessions,
  receivedInbox,
  releaseInboxTurn,
  runningInbox,
  seenInbox,
  waitingInbox,
} from "../../../storage/tables/gateway/inbox.js";
import { sentPayload, wakeChat } from "../../../storage/tables/gateway/outbox.js";
import { AppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type {
  Account,
  Admission,
  BatchAcceptance,
  Cursor,
  Inbound,
  InboxBatch,
  InboxRow,
  Inlet,
} from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd, NewSend } from "../../contracts/gateway/outbox.js";
import type { Outbox } from "../outbox/outbox.js";
import { type GatewayRules, INBOX_PAYLOAD_MS } from "../settings/delivery-rules.js";
import { batchOf } from "./batches.js";
import { createKnownEvents, type KnownEvents } from "./dedupe.js";
import { type InboxDelivery, storeWithSends, takeDelivery } from "./inbox-commits.js";
import { createInboxQuota, type InboxQuota } from "./inbox-quota.js";
import { normalise } from "./normalise.js";
import { recentChats } from "./recent-chats.js";

export interface InboxDeps {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: GatewayRules;
}

/** Every event that was received, on disk, from its acceptance to its end. Each method is one transaction. */
export interface Inbox extends Inlet {
  /** Called with new rows, once they are durable, in the order in which they were given in. */
  onArrival(listener: (rows: readonly InboxRow[]) => void): () => void;
  /** Called after rows were let in or set free: a turn may begin. */
  onWork(listener: () => void): () => void;
  /** Rows that were not looked at yet, oldest first. */
  received(limit: number): Promise<readonly InboxRow[]>;
  /** Open rows with a seq above `after`, oldest first. */
  open(after: number, limit: number): Promise<readonly InboxRow[]>;
  /**
   * Let a received row wait for a turn of its session. `full`: as many wait as may; the row is as it was, and the caller refuses it with an
   * answer. `gone`: it is no longer received.
   */
  admit(seq: number, admission: Admission): Promise<"waiting" | "full" | "gone">;
  /** End a row without a turn, with the reply to its sender, in one commit. False: it is finished or running. */
  finish(
    seq: number,
    to: { readonly state: "answered" | "refused" | "ignored" | "failed" | "expired"; readonly reason?: string },
    sends?: readonly NewSend[],
  ): Promise<boolean>;
  /** Sessions with waiting rows and without a turn, the longest waiting first. */
  ready(limit: number): Promise<readonly string[]>;
  /** How many messages of a session wait. */
  waiting(sessionKey: string): Promise<number>;
  /** What the next turn of a session answers. */
  next(sessionKey: string): Promise<InboxBatch | undefined>;
  /** Make a batch part of a turn, before the model is called. False: the session has a turn, or the batch is no longer what comes next. */
  begin(batch: InboxBatch, turn: string): Promise<boolean>;
  /** End a turn: its rows and what is to be sent, in one commit, once. False: it was ended before, and nothing is changed. */
  end(turn: string, end: InboxTurnEnd): Promise<boolean>;
  /** Rows of open turns; after a start, those that were interrupted. */
  running(): Promise<readonly InboxRow[]>;
  /** The rows of a turn that never began wait again. */
  release(turn: string): Promise<void>;
  prune(): Promise<void>;
}

/** Events that are looked through for chats that were used lately. */
const SEEN = 2000;

interface Parts extends InboxDeps {
  readonly room: InboxQuota;
  readonly known: KnownEvents;
  /** Rows wait to be looked at. */
  readonly came: (rows: readonly InboxRow[]) => void;
  /** Deliveries before this one whose rows were not reported yet. */
  before: Promise<unknown>;
  /** Rows may begin a turn. */
  readonly worked: () => void;
}

export function createInbox(deps: InboxDeps): Inbox {
  const { store, clock, rules } = deps;
  const looks = autocommit(store);
  const arrivals = listeners<readonly InboxRow[]>();
  const work = listeners<void>();
  const told = { came: arrivals.tell, worked: work.tell, before: Promise.resolve() };
  const parts: Parts = { ...deps, room: createInboxQuota(LIMITS.inboxOpen), known: createKnownEvents(), ...told };
  return {
    onArrival: arrivals.add,
    onWork: work.add,
    accept: async (event) => {
      const stored = await take(parts, [event], undefined);
      return stored.result === "busy" ? "busy" : (stored.events[0] ?? "busy");
    },
    acceptBatch: (events, cursor) => take(parts, events, cursor),
    cursor: (account, name) => readCursor(looks, account, name),
    connected: async (account) => {
      const now = clock.now();
      return store.write("inbox.connected", (tx) => noteConnect(tx, account, now));
    },
    said: (account, messageId) => textOf(looks, account, messageId),
    sendable: async (account, chatId) => {
      const now = clock.now();
      if ((await wakeChat(autocommit(store, "outbox.sendable"), account, chatId, now)) > 0) deps.outbox.wake();
    },
    recent: async (account, since) => recentChats(await seenInbox(looks, account, since, SEEN)),
    received: (limit) => receivedInbox(looks, limit),
    open: (after, limit) => openInbox(looks, after, limit),
    ready: (limit) => readySessions(looks, limit),
    next: async (sessionKey) => batchOf(await waitingInbox(looks, sessionKey, LIMITS.waitingPerSession + 1)),
    waiting: (sessionKey) => countWaiting(looks, sessionKey),
    running: () => runningInbox(looks),
    ...rowMethods(parts),
    ...turnMethods(parts),
    prune: async () => {
      const now = clock.now();
      const before = {
        payload: now - INBOX_PAYLOAD_MS,
        key: now - Math.max(rules.inboxRetentionMs(), INBOX_PAYLOAD_MS),
      };
      await store.write("inbox.prune", (tx) => pruneInbox(tx, before));
      await store.write("deliveries.prune", (tx) => pruneDeliveries(tx, before.key));
    },
  };
}

function listeners<T>() {
  const all = new Set<(news: T) => void>();
  return {
    add: (listener: (news: T) => void) => {
      all.add(listener);
      return () => all.delete(listener);
    },
    tell: (news: T) => {
      for (const listener of all) listener(news);
    },
  };
}

/** Written by the inbox and the outbox alone, so both have a text. */
async function textOf(q: Query, account: Account, messageId: string): Promise<string | undefined> {
  const payload =
    (await inboxPayload(q, { ...account, eventId: messageId })) ?? (await sentPayload(q, account, messageId));
  if (payload === undefined) return undefined;
  const { text }: { readonly text: string } = JSON.parse(payload);
  return text;
}

async function take(parts: Parts, events: readonly Inbound[], cursor: Cursor | undefined): Promise<BatchAcceptance> {
  const now = parts.clock.now();
  const backlog = parts.rules.backlog();
  const found = events.map((event) => (parts.known.has(event, now) ? undefined : normalise(event, now, backlog)));
  for (const [at, one] of found.entries()) {
    if (one !== undefined && "refused" in one)
      parts.log.warning("rejected an invalid event", { platform: events[at]?.platform, why: one.refused });
  }
  const rows = found.flatMap((one) => (one !== undefined && "row" in one ? [one.row] : []));
  const taken = await handedOn(parts, { rows, cursor, now });
  if (taken === undefined) return { result: "busy" };
  faultPoint("inbox.committed");
  const answers = taken.values();
  const stored = found.map((one, at) => {
    if (one === undefined) return "duplicate";
    if ("refused" in one) return "refused";
    const row = answers.next().value;
    const event = events[at];
    if (event !== undefined) parts.known.add(event, now);
    return row === undefined ? "duplicate" : "accepted";
  });
  return { result: "stored", events: stored };
}

/** Store a delivery, and tell of its new rows behind those of the deliveries before it. */
async function handedOn(parts: Parts, delivery: InboxDelivery): ReturnType<typeof takeDelivery> {
  const { before } = parts;
  const taking = takeDelivery(parts.store, parts.room, delivery);
  const told = Promise.allSettled([taking, before]).then(([taken]) => {
    const rows = taken.status === "fulfilled" ? (taken.value ?? []) : [];
    const fresh = rows.filter((row) => row?.state === "received").filter((row) => row !== undefined);
    if (fresh.length > 0) parts.came(fresh);
  });
  parts.before = told;
  try {
    const taken = await taking;
    await told;
    return taken;
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "E_STORE" && error.code !== "E_STORE_FULL")) throw error;
    parts.log.error("cannot confirm events: the store cannot be written", {
      events: delivery.rows.length,
      error: error.message,
    });
    return undefined;
  }
}

function rowMethods({ store, clock, outbox, worked }: Parts): Pick<Inbox, "admit" | "finish"> {
  return {
    admit: async (seq, { sessionKey, joins, quietMs }) => {
      const now = clock.now();
      const how = { sessionKey, joins, dueAt: now + quietMs, most: LIMITS.waitingPerSession };
      // Rung as well where the store could not say whether it was made: a row that waits is not looked at again by itself.
      const [admitted = [], received = []] = await store
        .script("inbox.admit", admitInboxSteps(seq, how, now))
        .catch((error: unknown) => {
          worked();
          throw error;
        });
      if (admitted.length > 0) worked();
      return admitted.length > 0 ? "waiting" : received.length > 0 ? "full" : "gone";
    },
    finish: async (seq, { state, reason = null }, sends = []) => {
      const now = clock.now();
      const drafts = outbox.drafts(sends);
      try {
        return await storeWithSends(store, "inbox.finish", {
          changes: [finishInboxStep(seq, { state, reason }, now)],
          drafts,
        });
      } finally {
        if (drafts.length > 0) outbox.wake(); // also where the store could not say whether they are there
      }
    },
  };
}

function turnMethods({ store, clock, outbox, worked }: Parts): Pick<Inbox, "begin" | "end" | "release"> {
  return {
    begin: async (batch, turn) => {
      const now = clock.now();
      const begun = await startBatch(store, batch, turn, now);
      if (begun) faultPoint("inbox.running");
      return begun;
    },
    end: async (turn, { state, reason, sends }) => {
      const now = clock.now();
      const drafts = outbox.drafts(sends);
      const changes = [closeDeliveryStep(turn, now), endInboxTurnStep(turn, { state, reason }, now)];
      const ended = await storeWithSends(store, "inbox.ended", { changes, drafts });
      if (drafts.length > 0) outbox.wake(); // it may have been ended by a call of which the store could not say what it did
      worked();
      return ended;
    },
    release: async (turn) => {
      const now = clock.now();
      await store.write("inbox.release", (tx) => releaseInboxTurn(tx, turn, now));
      worked();
    },
  };
}

/** A batch is begun whole or not at all; what comes first in its session is begun first. */
async function startBatch(store: Store, batch: InboxBatch, turn: string, now: number): Promise<boolean> {
  const rows = batch.rows.map(({ seq }) => seq);
  if (rows.length === 0) return false;
  try {
    await store.script("inbox.running", beginTurnSteps({ sessionKey: batch.sessionKey, rows, turn }, now));
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "E_CONFLICT") return false;
    throw error;
  }
}
