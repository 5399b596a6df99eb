import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import {
  beginSendStep,
  endSendStep,
  getSend,
  laneHeads,
  type NewOutboxRow,
  nextExpiry,
  overdueSends,
  type SendEnding,
  sendsIn,
} from "../../../storage/tables/gateway/outbox.js";
import { toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { TestSignal } from "../../base/process/signal.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { OutboxRow, Outgoing, Receipt, SendPayload } from "../../contracts/gateway/outbox.js";
import type { AdapterFault, Platform, SendPause } from "../../contracts/gateway/platform.js";
import { type Draining, inRounds, ROUND_MS, type ServiceRound } from "../loops/poll-rounds.js";
import { retryUntilStored } from "../loops/store-retry.js";
import { backoff, type GatewayRules } from "../settings/delivery-rules.js";
import { failureNotice, type Outbox, storeEnding } from "./outbox.js";
import { repeatUntil } from "./send-keys.js";
import { pickDueHeads } from "./send-lanes.js";
import {
  dropSend,
  maySend,
  type SettleRules,
  settleExpiredSend,
  settleSend,
  settleUncertainSend,
} from "./settle-send.js";

/** Who is connected. */
export interface SendDesk {
  connected(): readonly Platform[];
  /** The platform refused the credential of an adapter: it is not to be used any more. */
  refused(platform: Platform, fault: AdapterFault): void;
  onChange(listener: () => void): () => void;
}

export interface SenderDeps {
  readonly store: Store;
  readonly outbox: Outbox;
  readonly desk: SendDesk;
  readonly rules: GatewayRules;
  readonly clock: Clock;
  /** 0 to below 1, for the spread of waits. */
  readonly chance: () => number;
  readonly log: Log;
  readonly signals?: {
    /** After each look at the lanes: sends that it began. */
    readonly rounds?: TestSignal<number>;
    /** After each row whose outcome is stored: its id. */
    readonly settled?: TestSignal<string>;
  };
}

/** Heads of lanes that are looked at of each platform: as many as may begin, and as many as may be about to. So many lanes are under way at most. */
const HEADS = 2 * LIMITS.sendsAtOnce;
const OVERDUE = 200;
const CALL_MS: Ms = 20_000;
const FILE_CALL_MS: Ms = 120_000;

/**
 * Sends the rows of the outbox: those of one lane in order, lanes side by side. The mark `sending` is durable before a call begins, so that a
 * row under that mark at the start is one whose call was cut off. It is the only part that repeats a send. A drain waits for what can be sent now: what
 * waits for its time or its platform does not count; what waits for the pace of its chat does.
 */
export const createSender = (deps: SenderDeps): Draining =>
  inRounds(deps, { name: "outbox", waits: "outbound messages are waiting" }, async (round) => {
    const parts: Parts = { ...deps, ...round, busy: new Map() };
    await recover(parts);
    round.scope.onStop(deps.outbox.onWake(round.ring));
    round.scope.onStop(deps.desk.onChange(round.ring));
    return () => look(parts);
  });

interface Parts extends SenderDeps, ServiceRound {
  readonly busy: Map<string, Busy>;
}

/** A lane whose head is on its way. */
interface Busy {
  readonly platform: Platform;
  /** It waits between two messages, and makes no call. */
  rests: boolean;
}

const NOBODY: ReadonlyMap<string, Ms> = new Map();

/** Calls that an earlier owner began and did not live to see the end of. */
async function recover(parts: Parts): Promise<void> {
  for (;;) {
    const rows = await parts.store.read((q) => sendsIn(q, "sending", OVERDUE));
    if (rows.length === 0) return;
    for (const row of rows)
      await end(parts, row, settleUncertainSend(row, "the program ended during sending", rulesFor(parts, row)));
  }
}

/** @returns milliseconds until the next thing is due */
async function look(parts: Parts): Promise<Ms> {
  const { store, desk, clock, busy } = parts;
  const connected = desk.connected();
  const accounts = connected.map(({ tag, account }) => ({ platform: tag, account }));
  const asked = clock.now();
  const resting = new Map(connected.map((platform) => [platform, platform.resting?.() ?? NOBODY]));
  const each = HEADS + Math.max(0, ...[...resting.values()].map(({ size }) => size)); // those in front may all rest
  const looks = autocommit(store);
  const [expiry, all] = await Promise.all([nextExpiry(looks), laneHeads(looks, accounts, { now: asked, each })]);
  let next = await expire(parts, expiry);
  const now = clock.now();
  let begun = 0;
  let paced = false;
  for (const platform of connected) {
    const mine = [...busy.values()].filter((one) => one.platform === platform);
    const calling = mine.filter(({ rests }) => !rests).length;
    const free = Math.min(LIMITS.sendsAtOnce - calling, HEADS - mine.length);
    const heads = all.filter(
      (head) => head.platform === platform.tag && head.account === platform.account && head.expires_at > now,
    );
    const picked = pickDueHeads(heads, now, {
      busy: new Set(busy.keys()),
      free,
      resting: resting.get(platform) ?? NOBODY,
    });
    next = Math.min(next, picked.next ?? next);
    paced ||= picked.paced;
    for (const head of picked.start) {
      begun += 1;
      set(parts, platform, head);
    }
  }
  if (begun === 0 && busy.size === 0 && !paced) parts.rest.reached();
  parts.signals?.rounds?.emit(begun);
  return next;
}

/** Give up what is too old. `first`: when the next row is. @returns milliseconds until something else is */
async function expire(parts: Parts, first: EpochMs | undefined): Promise<Ms> {
  const now = parts.clock.now();
  if (first === undefined) return ROUND_MS;
  if (first > now) return Math.min(ROUND_MS, first - now);
  const rows = await parts.store.read((q) => overdueSends(q, now, OVERDUE));
  const gone = rows.filter((row) => !parts.busy.has(row.lane));
  for (const row of gone) await end(parts, row, settleExpiredSend(row));
  if (gone.length > 0) parts.ring(); // those behind them may go
  return rows.length < OVERDUE ? ROUND_MS : 1000; // what is busy rings when it is settled
}

/** Work on one row beside all others; when it is settled the next of its lane may come. */
function set(parts: Parts, platform: Platform, head: OutboxRow): void {
  const { busy } = parts;
  const lane: Busy = { platform, rests: false };
  busy.set(head.lane, lane);
  parts.beside(
    () => one(parts, lane, head),
    () => busy.delete(head.lane),
    `outbound message ${head.id} is waiting`,
  );
}

async function one(parts: Parts, lane: Busy, head: OutboxRow): Promise<void> {
  const whole = await addressed(parts, head); // before the mark: a row that a failure left under it would hold up its lane
  if (whole === undefined) return endSurely(parts, head, () => dropSend(head, "the message to edit was not delivered"));
  const begun = await start(parts, head);
  if (begun === undefined) return;
  const row = { ...begun, payload: whole.payload };
  const { id } = row;
  const { platform } = lane;
  faultPoint("outbox.sending");
  const receipt = await call(parts, lane, row);
  faultPoint("outbox.called");
  if (receipt.result !== "sent") {
    parts.log.warning("a message was rejected", {
      id,
      platform: row.platform,
      attempt: row.attempts,
      result: receipt.result,
      error: receipt.error,
    });
  }
  await endSurely(parts, row, () => settleSend(row, receipt, rulesFor(parts, row)));
  faultPoint("outbox.settled");
  if (receipt.result === "refused" && receipt.credential)
    parts.desk.refused(platform, { code: "auth_failed", message: receipt.error });
}

/**
 * The store could not say whether the mark is there. No call was made and no other sender makes one, so a row that has it is sent now: left under its mark
 * it would hold up its lane, and be doubted by the next program.
 *
 * @throws why it is not marked; what keeps it from that does not end at once, so the next try comes after a pause
 */
async function marked(parts: Parts, head: OutboxRow, error: unknown): Promise<OutboxRow> {
  const row = await retryUntilStored(parts, "failed to read an outbound message; retrying", () =>
    getSend(autocommit(parts.store), head.id),
  );
  if (row?.state === "sending" && row.attempts === head.attempts + 1) return row;
  throw error;
}

/** A row that changes the message of another one, with the id of that; undefined: the other was not sent yet. */
async function addressed({ store }: Parts, row: OutboxRow): Promise<OutboxRow | undefined> {
  const payload = payloadOf(row);
  const other = payload?.messageOf;
  if (other === undefined) return row;
  const messageId = (await getSend(autocommit(store), other))?.platform_message_id;
  return messageId == null ? undefined : { ...row, payload: JSON.stringify({ ...payload, messageId }) };
}

/** Mark a row as being sent. Undefined: it is no longer to be sent, or may not be any longer because it may have arrived. */
async function start(parts: Parts, head: OutboxRow): Promise<OutboxRow | undefined> {
  const { store, clock } = parts;
  const now = clock.now();
  if (maySend(head, now)) {
    const mark = store.script("outbox.sending", [beginSendStep(head, now, repeatUntil(head, payloadOf(head), now))]);
    return mark.then(
      ([rows = []]) => rows[0] as OutboxRow | undefined, // the step gives the row
      (error: unknown) => marked(parts, head, error),
    );
  }
  const rules = rulesOf(parts, 1);
  await store.write("outbox.doubted", async (tx) => {
    const row = await getSend(tx, head.id);
    if (row?.state !== "pending" || maySend(row, now)) return;
    await storeEnding(tx, row, settleUncertainSend(row, row.error ?? "delivery unknown", rules), {
      now,
      notice: undefined,
    });
  });
  return undefined;
}

async function call({ clock, scope, ring }: Parts, lane: Busy, row: OutboxRow): Promise<Receipt> {
  const payload = payloadOf(row);
  const { platform } = lane;
  if (payload === undefined) return { result: "refused", error: "its text is no longer stored", retryable: false };
  const limit = platform.sendTimeoutMs ?? (payload.file === undefined ? CALL_MS : FILE_CALL_MS);
  const control = new AbortController();
  const stop = () => control.abort(scope.signal.reason);
  scope.signal.addEventListener("abort", stop, { once: true });
  const rest = async (ms: Ms) => {
    lane.rests = true;
    ring(); // another one may be sent meanwhile
    await clock.sleep(ms, control.signal);
    lane.rests = false;
  };
  let cancel: () => void = () => undefined;
  const late = new Promise<Receipt>((resolve) => {
    cancel = clock.after(limit, () => {
      control.abort(new Error("timeout"));
      resolve({ result: "unknown", error: `no response within ${limit / 1000} s` });
    });
  });
  try {
    return await Promise.race([received(platform, outgoing(row, payload), { signal: control.signal, rest }), late]);
  } finally {
    cancel();
    scope.signal.removeEventListener("abort", stop);
  }
}

async function received(
  platform: Platform,
  row: Outgoing,
  { signal, rest }: { signal: AbortSignal; rest: SendPause },
): Promise<Receipt> {
  try {
    return await platform.send(row, signal, rest);
  } catch (error) {
    return { result: "unknown", error: toAppError(error).message };
  }
}

function outgoing(row: OutboxRow, payload: SendPayload): Outgoing {
  const { platform, account, chat_id: chatId, thread_id: threadId, reply_to: replyTo } = row;
  const target = { platform, account, chatId, threadId, replyTo };
  return {
    id: row.id,
    kind: row.kind,
    via: row.via,
    target,
    payload,
    idemKey: row.idem_key,
    repeat: row.uncertain === 1,
  };
}

/** What is known of a call must not get lost. */
const endSurely = (parts: Parts, row: OutboxRow, ending: () => SendEnding): Promise<void> =>
  retryUntilStored(parts, `failed to store the outcome of ${row.id}; retrying`, () => end(parts, row, ending()));

async function end(parts: Parts, row: OutboxRow, ending: SendEnding): Promise<void> {
  const now = parts.clock.now();
  const notice = noticeOf(parts, row, ending);
  const byScript = row.kind !== "cron" && (ending.state === "sent" || ending.state === "pending");
  if (byScript) await parts.store.script("outbox.settled", [endSendStep({ id: row.id, from: row.state }, ending, now)]);
  else await parts.store.write("outbox.settled", (tx) => storeEnding(tx, row, ending, { now, notice }));
  parts.signals?.settled?.emit(row.id);
  parts.outbox.ended(row);
}

function noticeOf({ outbox }: Parts, row: OutboxRow, ending: SendEnding): NewOutboxRow | undefined {
  const send = ending.state === "failed" ? failureNotice(row) : undefined;
  return send && outbox.drafts([send])[0];
}

const rulesFor = (parts: Parts, row: OutboxRow): SettleRules => rulesOf(parts, row.attempts);

function rulesOf({ clock, rules, chance }: Parts, attempts: number): SettleRules {
  return {
    now: clock.now(),
    wait: backoff(rules.retryBaseMs(), attempts, chance),
    resendUnknown: rules.resendUnknown(),
  };
}

/** Written by `outbox.ts` alone, so it is a payload. */
function payloadOf(row: OutboxRow): SendPayload | undefined {
  return row.payload === null ? undefined : JSON.parse(row.payload);
}
