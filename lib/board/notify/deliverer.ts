import { defineService, type Scope, type Service } from "../../base/async/service.js";
import { createWakeup } from "../../base/async/wakeup.js";
import { toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import type { Log } from "../../base/log/log.js";
import type { TestSignal } from "../../base/process/signal.js";
import type { Clock } from "../../base/time/clock.js";
import { type BoardSlug, type Ms, toUnix } from "../../base/units.js";
import type { Notice, NoticeOutcome, Notifier } from "../../contracts/board/notifier.js";
import type { Config } from "../../contracts/config/config.js";
import type { BoardKernel } from "../core/kernel.js";
import { KANBAN } from "../core/keys.js";
import type { NotifyKernel, Owed } from "./ledger.js";

export interface DelivererDeps {
  readonly kernel: NotifyKernel & Pick<BoardKernel, "slugs">;
  readonly notifier: Notifier;
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
  /** Emits after each round with the number of messages that it began to hand over. */
  readonly signals?: { readonly rounds?: TestSignal<number> };
}

/** Longest time between two rounds: a changed setting and a clock that was set are noticed then. */
const ROUND_MS = 3_600_000;
/** A board whose store cannot be read is looked at again after this. */
const BROKEN_MS = 60_000;
const DAY_SECONDS = 86_400;

/**
 * Hands the messages of the ledgers to the platforms that are connected: in the order of events within a subscription, side by side between
 * subscriptions. The mark `sending` is durable before a message leaves; what a dead owner left under that mark is asked for, not repeated.
 */
export function createDeliverer(deps: DelivererDeps): Service {
  return defineService("notify", (scope) => begin(deps, scope));
}

interface Parts extends DelivererDeps {
  readonly scope: Scope;
  /** Subscriptions whose message is on its way, as `<board>/<id>`. */
  readonly busy: Set<string>;
  /** Boards whose store cannot be read; said once. */
  readonly broken: Set<string>;
  readonly ring: () => void;
}

async function begin(deps: DelivererDeps, scope: Scope): Promise<void> {
  const wakeup = createWakeup();
  const parts: Parts = { ...deps, scope, busy: new Set(), broken: new Set(), ring: () => wakeup.notify() };
  scope.onStop(deps.kernel.onOwed(parts.ring));
  scope.onStop(deps.notifier.onChange(parts.ring));
  scope.onStop(deps.config.onChange(parts.ring));
  scope.loop(async () => {
    const next = await round(parts);
    const cancel = deps.clock.after(Math.min(next, ROUND_MS), parts.ring);
    try {
      await wakeup.wait(scope.signal);
    } finally {
      cancel();
    }
  });
}

/** Look at every board once. @returns milliseconds until the next thing is due */
async function round(parts: Parts): Promise<Ms> {
  let next = ROUND_MS;
  let begun = 0;
  for (const board of await parts.kernel.slugs()) {
    try {
      next = Math.min(next, await expire(parts, board));
      const looked = await look(parts, board);
      begun += looked.begun;
      next = Math.min(next, looked.next);
      parts.broken.delete(board);
    } catch (error) {
      if (!parts.broken.has(board))
        parts.log.error("messages of a board are waiting", { board, error: toAppError(error).message });
      parts.broken.add(board);
      next = Math.min(next, BROKEN_MS);
    }
  }
  parts.signals?.rounds?.emit(begun);
  return next;
}

/** Give up what has waited too long. @returns milliseconds until something else has */
async function expire({ kernel, clock, config }: Parts, board: BoardSlug): Promise<Ms> {
  const age = config.get(KANBAN.notifyMaxAge) * DAY_SECONDS;
  const now = toUnix(clock.now());
  const oldest = await kernel.oldestOwed(board);
  if (oldest === undefined) return ROUND_MS;
  if (oldest > now - age) return (oldest + age - now) * 1000;
  await kernel.expire(board, now - age);
  return 0;
}

async function look(parts: Parts, board: BoardSlug): Promise<{ begun: number; next: Ms }> {
  const { kernel, notifier, clock, busy } = parts;
  let next = ROUND_MS;
  let begun = 0;
  for (const route of await kernel.owedRoutes(board)) {
    const reach = notifier.reach(route);
    if (reach === undefined) continue;
    for (const one of await kernel.owed(board, route, reach)) {
      if (busy.has(laneOf(one.notice))) continue;
      const wait = one.begun ? 0 : one.nextAt * 1000 - clock.now();
      if (wait > 0) next = Math.min(next, wait);
      else {
        begun += 1;
        set(parts, one);
      }
    }
  }
  return { begun, next };
}

const laneOf = ({ board, subscription }: Notice): string => `${board}/${subscription}`;

/** Work on one message beside all others; when it is settled the next of its subscription may come. */
function set(parts: Parts, one: Owed): void {
  const lane = laneOf(one.notice);
  parts.busy.add(lane);
  parts.scope.run(async () => {
    try {
      await (one.begun ? recall(parts, one) : hand(parts, one));
      parts.busy.delete(lane);
      parts.ring();
    } catch (error) {
      // Nothing was lost: the row says what is known, and the next round that anything causes looks at it again.
      parts.busy.delete(lane);
      if (!parts.scope.signal.aborted)
        parts.log.error("a message is waiting", { lane, error: toAppError(error).message });
    }
  });
}

async function hand({ kernel, notifier, scope, log }: Parts, { notice, attempts, lost }: Owed): Promise<void> {
  if (!(await kernel.handing(notice))) return;
  faultPoint("notify.sending");
  const outcome = lost ? GONE : await outcomeOf(() => notifier.hand(notice, scope.signal));
  if (scope.signal.aborted && outcome.result !== "accepted") return; // the next owner asks what became of it
  faultPoint("notify.handed");
  if (outcome.result !== "accepted")
    log.warning("a message was rejected", { ...keyOf(notice), attempt: attempts + 1, ...outcome });
  await kernel.handed(notice, attempts + 1, outcome);
}

/** An event that was cleaned away cannot be worded any more. */
const GONE: NoticeOutcome = { result: "unknown", error: "its event was removed by gc" };

const keyOf = ({ board, subscription, event }: Notice) => ({ board, subscription, event });

async function outcomeOf(call: () => Promise<NoticeOutcome>): Promise<NoticeOutcome> {
  try {
    return await call();
  } catch (error) {
    return { result: "failed", error: toAppError(error).message };
  }
}

async function recall({ kernel, notifier }: Parts, { notice, attempts }: Owed): Promise<void> {
  const { platform, profile } = notice;
  await kernel.handed(notice, attempts, await notifier.recall({ ...keyOf(notice), platform, profile }));
}
