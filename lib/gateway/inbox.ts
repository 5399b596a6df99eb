import type { Query, Step, Store, Tx } from "../../storage/store.js";
import { noteConnect, readCursor } from "../../storage/tables/gateway-accounts.js";
import { closeDelivery, pruneDeliveries } from "../../storage/tables/gateway-deliveries.js";
import {
  admitInbox,
  endInboxTurn,
  finishInbox,
  finishInboxStep,
  inboxPayload,
  openInbox,
  pruneInbox,
  readySessions,
  receivedInbox,
  releaseInboxTurn,
  runningInbox,
  runningTurn,
  seenInbox,
  startInbox,
  waitingInbox,
} from "../../storage/tables/gateway-inbox.js";
import { insertSendStep, type NewOutboxRow, sentPayload, wakeChat } from "../../storage/tables/gateway-outbox.js";
import type { Clock } from "../base/clock.js";
import { AppError } from "../base/errors.js";
import { faultPoint } from "../base/fault.js";
import { LIMITS } from "../base/limits.js";
import type { Log } from "../base/log.js";
import type { Account, Admission, Batch, BatchAcceptance, Cursor, Inbound, InboxRow, Inlet } from "../proto/gateway.js";
import type { NewSend, TurnEnd } from "../proto/gateway-outbox.js";
import { batchOf } from "./batches.js";
import { normalise } from "./inbound.js";
import { insertDrafts, type Outbox } from "./outbox.js";
import { recentChats } from "./recent.js";
import { createRoom, type Room } from "./room.js";
import { type GatewayRules, INBOX_PAYLOAD_MS } from "./rules.js";
import { takeDelivery } from "./take.js";

export interface InboxDeps {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly clock: Clock;
  readonly log: Log;
  readonly rules: GatewayRules;
}

/** Every event that was received, on disk, from its acceptance to its end. Each method is one transaction. */
export interface Inbox extends Inlet {
  /** Called after rows were stored that nobody has looked at. */
  onArrival(listener: () => void): () => void;
  /** Called after rows were let in or set free: a turn may begin. */
  onWork(listener: () => void): () => void;
  /** Rows that nobody has looked at, oldest first. */
  received(limit: number): Promise<readonly InboxRow[]>;
  /** Open rows with a seq above `after`, oldest first. */
  open(after: number, limit: number): Promise<readonly InboxRow[]>;
  /**
   * Let a received row wait for a turn of its session. `full`: as many wait as may; the row is as it was, and the caller refuses it with an
   * answer. `gone`: it is no longer received.
   */
  admit(seq: number, admission: Admission): Promise<"waiting" | "full" | "gone">;
  /** End a row without a turn, with what its sender is told, in one commit. False: it is finished or running. */
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
  next(sessionKey: string): Promise<Batch | undefined>;
  /** Make a batch part of a turn, before the model is called. False: the session has a turn, or the batch is no longer what comes next. */
  begin(batch: Batch, turn: string): Promise<boolean>;
  /** End a turn: its rows and what is to be sent, in one commit, once. False: it was ended before, and nothing is changed. */
  end(turn: string, end: TurnEnd): Promise<boolean>;
  /** Rows of open turns; after a start, those that were interrupted. */
  running(): Promise<readonly InboxRow[]>;
  /** The rows of a turn that never began wait again. */
  release(turn: string): Promise<void>;
  prune(): Promise<void>;
}

/** Events that are looked through for chats that were used lately. */
const SEEN = 2000;

interface Parts extends InboxDeps {
  readonly room: Room;
  /** Rows wait for somebody to look at them. */
  readonly came: () => void;
  /** Rows may begin a turn. */
  readonly worked: () => void;
}

export function createInbox(deps: InboxDeps): Inbox {
  const { store, clock, rules } = deps;
  const [arrivals, work] = [listeners(), listeners()];
  const parts: Parts = { ...deps, room: createRoom(LIMITS.inboxOpen), came: arrivals.tell, worked: work.tell };
  return {
    ...{ onArrival: arrivals.add, onWork: work.add },
    accept: async (event) => {
      const stored = await take(parts, [event], undefined);
      return stored.result === "busy" ? "busy" : (stored.events[0] ?? "busy");
    },
    acceptBatch: (events, cursor) => take(parts, events, cursor),
    cursor: (account, name) => store.read((q) => readCursor(q, account, name)),
    connected: async (account) => {
      const now = clock.now();
      return store.write("inbox.connected", (tx) => noteConnect(tx, account, now));
    },
    said: (account, messageId) => store.read((q) => textOf(q, account, messageId)),
    sendable: async (account, chatId) => {
      const now = clock.now();
      if ((await store.write("outbox.sendable", (tx) => wakeChat(tx, account, chatId, now))) > 0) deps.outbox.wake();
    },
    recent: async (account, since) => recentChats(await store.read((q) => seenInbox(q, account, since, SEEN))),
    received: (limit) => store.read((q) => receivedInbox(q, limit)),
    open: (after, limit) => store.read((q) => openInbox(q, after, limit)),
    ready: (limit) => store.read((q) => readySessions(q, limit)),
    next: (sessionKey) => store.read(async (q) => batchOf(await waitingInbox(q, sessionKey, LIMITS.waitingPerSession + 1))),
    waiting: (sessionKey) => store.read(async (q) => (await waitingInbox(q, sessionKey, LIMITS.waitingPerSession + 1)).length),
    running: () => store.read(runningInbox),
    ...rowMethods(parts),
    ...turnMethods(parts),
    prune: async () => {
      const now = clock.now();
      const before = { payload: now - INBOX_PAYLOAD_MS, key: now - Math.max(rules.inboxRetentionMs(), INBOX_PAYLOAD_MS) };
      await store.write("inbox.prune", (tx) => pruneInbox(tx, before));
      await store.write("deliveries.prune", (tx) => pruneDeliveries(tx, before.key));
    },
  };
}

function listeners() {
  const all = new Set<() => void>();
  return {
    add: (listener: () => void) => {
      all.add(listener);
      return () => all.delete(listener);
    },
    tell: () => {
      for (const listener of all) listener();
    },
  };
}

/** Written by the inbox and the outbox alone, so both have a text. */
async function textOf(q: Query, account: Account, messageId: string): Promise<string | undefined> {
  const payload = (await inboxPayload(q, { ...account, eventId: messageId })) ?? (await sentPayload(q, account, messageId));
  if (payload === undefined) return undefined;
  const { text }: { readonly text: string } = JSON.parse(payload);
  return text;
}

async function take(parts: Parts, events: readonly Inbound[], cursor: Cursor | undefined): Promise<BatchAcceptance> {
  const now = parts.clock.now();
  const backlog = parts.rules.backlog();
  const found = events.map((event) => normalise(event, now, backlog));
  for (const [at, one] of found.entries()) {
    if ("refused" in one) parts.log.warning("an event can never be taken", { platform: events[at]?.platform, why: one.refused });
  }
  const rows = found.map((one) => ("row" in one ? one.row : undefined));
  let stored: Awaited<ReturnType<typeof takeDelivery>>;
  try {
    stored = await takeDelivery(parts.store, parts.room, { rows, cursor, now });
  } catch (error) {
    if (!(error instanceof AppError) || (error.code !== "E_STORE" && error.code !== "E_STORE_FULL")) throw error;
    parts.log.error("events are not confirmed: the store cannot be written", { events: events.length, error: error.message });
  }
  if (stored === undefined) return { result: "busy" };
  faultPoint("inbox.committed");
  if (stored.includes("accepted")) parts.came();
  return { result: "stored", events: stored };
}

function rowMethods({ store, clock, outbox, worked }: Parts): Pick<Inbox, "admit" | "finish"> {
  return {
    admit: async (seq, { sessionKey, joins, quietMs }) => {
      const now = clock.now();
      const done = await store.write("inbox.admit", async (tx) => {
        const waiting = await waitingInbox(tx, sessionKey, LIMITS.waitingPerSession);
        if (waiting.length >= LIMITS.waitingPerSession) return "full";
        return (await admitInbox(tx, seq, { sessionKey, joins, dueAt: now + quietMs }, now)) ? "waiting" : "gone";
      });
      if (done === "waiting") worked();
      return done;
    },
    finish: async (seq, { state, reason = null }, sends = []) => {
      const now = clock.now();
      const drafts = outbox.drafts(sends);
      const finish = finishInboxStep(seq, { state, reason }, now);
      const done = await inOneMessage(store, "inbox.finish", { first: finish, drafts }, async (tx) => {
        if (!(await finishInbox(tx, seq, { state, reason }, now))) return false;
        await insertDrafts(tx, drafts);
        return true;
      });
      if (done && drafts.length > 0) outbox.wake();
      return done;
    },
  };
}

interface Whole {
  /** Changes what it expects, or nothing is done. */
  readonly first: Step;
  readonly drafts: readonly NewOutboxRow[];
}

/** A change with what is sent for it. Replies take a right of their chat, which needs more than one message. @returns whether it was made */
async function inOneMessage(store: Store, label: string, { first, drafts }: Whole, body: (tx: Tx) => Promise<boolean>): Promise<boolean> {
  if (drafts.some(({ via }) => via === "reply")) return store.write(label, body);
  try {
    await store.script(label, [first, ...drafts.map(insertSendStep)]);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "E_CONFLICT") return false;
    throw error;
  }
}

function turnMethods({ store, clock, outbox, worked }: Parts): Pick<Inbox, "begin" | "end" | "release"> {
  return {
    begin: async (batch, turn) => {
      const now = clock.now();
      const begun = await store.write("inbox.running", (tx) => startBatch(tx, batch, turn, now));
      if (begun) faultPoint("inbox.running");
      return begun;
    },
    end: async (turn, { state, reason, sends }) => {
      const now = clock.now();
      const drafts = outbox.drafts(sends);
      const ended = await store.write("inbox.ended", async (tx) => {
        if (!(await closeDelivery(tx, turn, now))) return false;
        await endInboxTurn(tx, turn, { state, reason }, now);
        await insertDrafts(tx, drafts);
        return true;
      });
      if (ended && drafts.length > 0) outbox.wake();
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
async function startBatch(tx: Tx, batch: Batch, turn: string, now: number): Promise<boolean> {
  if ((await runningTurn(tx, batch.sessionKey)) !== undefined) return false;
  const waiting = await waitingInbox(tx, batch.sessionKey, batch.rows.length);
  if (batch.rows.length === 0 || waiting.length < batch.rows.length || waiting.some((row, at) => row.seq !== batch.rows[at]?.seq))
    return false;
  for (const row of waiting) await startInbox(tx, row.seq, turn, now);
  return true;
}
