import { toAppError } from "../../base/errors.js";
import { LIMITS } from "../../base/limits.js";
import type { Log } from "../../base/log/log.js";
import type { TestSignal } from "../../base/process/signal.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { InboxBatch, InboxRow } from "../../contracts/board/platform-tag.js";
import type { InboxTurnEnd } from "../../contracts/gateway/outbox.js";
import { batchOf } from "../inbox/batches.js";
import type { Inbox } from "../inbox/inbox.js";
import { type Draining, inRounds, ROUND_MS, type ServiceRound } from "../loops/poll-rounds.js";
import { retryUntilStored } from "../loops/store-retry.js";

/** What became of a turn that an earlier owner left open. */
export type LeftTurnOutcome =
  /** The conversation knows nothing of it: its messages wait again. */
  | { readonly was: "absent" }
  /** It, or the last that resumed it, ended in the conversation, and only its rows do not know yet. */
  | { readonly was: "ended"; readonly end: InboxTurnEnd }
  /** It was cut off, and so was every turn that resumed it. */
  | { readonly was: "interrupted" };

/** Runs turns. Conversations are another store: what it commits there comes after `running` here and before the end here. */
export interface GatewayTurns {
  /** A name that no other turn has or will have; `run` gives it to the conversation as the key of its message. */
  name(batch: InboxBatch): string;
  /** Work the turn to its end, however it ends. Rejects only when it is aborted; anything else ends the rows as failed. */
  run(turn: string, batch: InboxBatch, signal: AbortSignal): Promise<InboxTurnEnd>;
  fate(turn: string): Promise<LeftTurnOutcome>;
  /** The internal turn that goes on where `interrupted` was cut off, under its own name. */
  resume(turn: string, interrupted: string, batch: InboxBatch, signal: AbortSignal): Promise<InboxTurnEnd>;
  /** How many sessions may run a turn at once; undefined: no limit. */
  readonly atOnce?: () => number | undefined;
  /** A session has to wait because `running` of at most `most` sessions have a turn. Told once of each message that is next. */
  full?(batch: InboxBatch, running: number, most: number): Promise<void>;
  /** The end of a turn is stored with what is sent. */
  stored?(turn: string): void;
  /** Words for a turn that failed for a reason of ours. */
  failure(turn: string, batch: InboxBatch, error: string): InboxTurnEnd;
}

export interface DispatchDeps {
  readonly inbox: Inbox;
  readonly turns: GatewayTurns;
  readonly clock: Clock;
  readonly chance: () => number;
  readonly log: Log;
  readonly signals?: { readonly rounds?: TestSignal<number>; readonly ended?: TestSignal<string> };
}

const SESSIONS = 500;

/**
 * Turns waiting messages into turns (gateway part, 5.4): one at a time for each session, in order of acceptance. What an owner that died left
 * open is finished first, so that no message of a session starts a turn beside it. A drain begins no turn any more.
 */
export const createDispatch = (deps: DispatchDeps): Draining =>
  inRounds(deps, { name: "gateway-turns", waits: "messages are waiting for their turn" }, async (round) => {
    const parts: Parts = { ...deps, ...round, busy: new Set(), told: new Set() };
    for (const [turn, rows] of byTurn(await deps.inbox.running())) await recover(parts, turn, rows);
    round.scope.onStop(deps.inbox.onWork(round.ring));
    return () => look(parts);
  });

interface Parts extends DispatchDeps, ServiceRound {
  readonly busy: Set<string>;
  /** First messages of sessions that were told to wait. */
  readonly told: Set<number>;
}

function byTurn(rows: readonly InboxRow[]): Map<string, InboxRow[]> {
  const turns = new Map<string, InboxRow[]>();
  for (const row of rows) if (row.turn_id !== null) turns.set(row.turn_id, [...(turns.get(row.turn_id) ?? []), row]);
  return turns;
}

async function recover(parts: Parts, turn: string, rows: readonly InboxRow[]): Promise<void> {
  const { inbox, turns } = parts;
  const fate = await turns.fate(turn);
  if (fate.was === "absent") return inbox.release(turn);
  if (fate.was === "ended") {
    await inbox.end(turn, fate.end);
    return;
  }
  const batch = wholeBatch(rows);
  if (batch === undefined) return inbox.release(turn);
  // The rows keep the name of the turn that they began with: whatever happens to those that resume it, its fate is asked for by that name.
  const successor = turns.name(batch);
  const resumed = () => turns.resume(successor, turn, batch, parts.scope.signal);
  set(parts, batch, async () => endSurely(parts, turn, await ran(parts, { turn, batch }, resumed)));
}

/** All rows of one turn, as they were begun. */
function wholeBatch(rows: readonly InboxRow[]): InboxBatch | undefined {
  const one = batchOf(rows.slice(0, 1));
  const rest = rows.slice(1).map((row) => batchOf([row])?.text ?? "");
  return one && { ...one, rows, text: [one.text, ...rest].join("\n") };
}

async function look(parts: Parts): Promise<Ms> {
  const { inbox, turns, clock, busy, rest } = parts;
  if (rest.wanted) {
    if (busy.size === 0) rest.reached();
    return ROUND_MS;
  }
  const most = turns.atOnce?.() ?? LIMITS.openConversations;
  let next = ROUND_MS;
  let begun = 0;
  for (const sessionKey of await inbox.ready(SESSIONS)) {
    if (busy.has(sessionKey) || (busy.size >= most && turns.full === undefined)) continue;
    const batch = await inbox.next(sessionKey);
    if (batch === undefined) continue;
    if (busy.size >= most) {
      await tell(parts, batch, most);
      continue;
    }
    // A row that was received later than now was received before the clock was set back: its quiet time says nothing.
    const wait = batch.receivedAt > clock.now() ? 0 : batch.dueAt - clock.now();
    if (wait > 0) next = Math.min(next, wait);
    else {
      begun += 1;
      set(parts, batch, () => work(parts, batch));
    }
  }
  parts.signals?.rounds?.emit(begun);
  return next;
}

const TOLD = 1_000;

async function tell({ turns, busy, told }: Parts, batch: InboxBatch, most: number): Promise<void> {
  const first = batch.rows[0]?.seq;
  if (first === undefined || told.has(first)) return;
  if (told.size >= TOLD) told.clear();
  told.add(first);
  await turns.full?.(batch, busy.size, most);
}

/** Work for one session beside all others; when it is over its next message may come. */
function set({ busy, beside }: Parts, { sessionKey }: InboxBatch, body: () => Promise<void>): void {
  busy.add(sessionKey);
  beside(body, () => busy.delete(sessionKey), "a turn was left open");
}

async function work(parts: Parts, batch: InboxBatch): Promise<void> {
  const { turns, scope } = parts;
  const turn = turns.name(batch);
  if (!(await begun(parts, batch, turn))) return;
  await endSurely(parts, turn, await ran(parts, { turn, batch }, () => turns.run(turn, batch, scope.signal)));
}

interface Worked {
  readonly turn: string;
  readonly batch: InboxBatch;
}

async function ran(
  { turns, scope, log }: Parts,
  { turn, batch }: Worked,
  run: () => Promise<InboxTurnEnd>,
): Promise<InboxTurnEnd> {
  try {
    return await run();
  } catch (error) {
    if (scope.signal.aborted) throw error;
    const { message } = toAppError(error);
    log.error("a turn failed", { error: message });
    return turns.failure(turn, batch, message);
  }
}

/** The answer is stored, and no other part would send it. */
async function endSurely(parts: Parts, turn: string, end: InboxTurnEnd): Promise<void> {
  await retryUntilStored(parts, "failed to store the end of a turn; retrying", () => parts.inbox.end(turn, end));
  parts.turns.stored?.(turn);
  parts.signals?.ended?.emit(turn);
}

/**
 * Where the store could not say whether the turn is begun, the stored row decides: its name is unique.
 *
 * @throws why it is not begun; what keeps it from that does not end at once, so the next try comes after a pause
 */
async function begun(parts: Parts, batch: InboxBatch, turn: string): Promise<boolean> {
  try {
    return await parts.inbox.begin(batch, turn);
  } catch (error) {
    const running = await retryUntilStored(parts, "failed to read the running turns; retrying", () =>
      parts.inbox.running(),
    );
    if (running.some((row) => row.turn_id === turn)) return true;
    throw error;
  }
}
