import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import { type TurnProgress, workedFor } from "./turn-progress.js";

/** Milliseconds; 0: none. */
export interface Limits {
  /** One request with all its retries and fallbacks. */
  readonly request: Ms;
  /** The turn, without the time that it waits for people. */
  readonly turn: Ms;
  /** Nothing happens. */
  readonly quiet: Ms;
  readonly warning: Ms;
  /** Between two signs of life. */
  readonly life: Ms;
}

/** What is done when a time has come. */
export interface DeadlineActs {
  /** The turn is to end; called once. */
  end(which: "request" | "turn" | "quiet", limit: Ms): void;
  /** Nothing has happened for this time. */
  warn(quiet: Ms): void;
  life(running: Ms): void;
}

/** Watches one turn from outside its lane (gateway part, 10.4). */
export interface TurnDeadlines {
  /** Something changed that may bring a time nearer. */
  look(): void;
  stop(): void;
}

interface Parts {
  readonly clock: Clock;
  readonly limits: () => Limits;
  readonly progress: TurnProgress;
  readonly acts: DeadlineActs;
}

export function watchDeadlines(parts: Parts): TurnDeadlines {
  const { clock } = parts;
  let over = false;
  let cancel: () => void = () => undefined;
  const told: Told = { warnedAt: undefined, life: parts.progress.startedAt };
  const stop = () => {
    over = true;
    cancel();
  };
  const look = () => {
    if (over) return;
    cancel();
    const next = check(parts, told, stop);
    if (next !== undefined && !over) cancel = clock.after(next, look);
  };
  look();
  return { look, stop };
}

interface Told {
  /** Activity that was followed by a reported silence. */
  warnedAt: Ms | undefined;
  /** Last sign of life. */
  life: Ms;
}

/** @returns milliseconds until the next time; undefined: nothing is to come, or the turn was ended */
function check({ clock, limits, progress, acts }: Parts, told: Told, stop: () => void): Ms | undefined {
  const now = clock.mono();
  const most = limits();
  const waits = progress.waitsAt !== undefined;
  const quietFor = now - progress.activeAt;
  const requested = progress.requestAt === undefined || waits ? undefined : now - progress.requestAt;
  const passed = [
    { which: "request", limit: most.request, used: requested },
    { which: "turn", limit: most.turn, used: waits ? undefined : workedFor(progress, now) },
    { which: "quiet", limit: most.quiet, used: waits ? undefined : quietFor },
  ] as const;
  const hit = passed.find(({ limit, used }) => limit > 0 && used !== undefined && used >= limit);
  if (hit !== undefined) {
    stop();
    acts.end(hit.which, hit.limit);
    return undefined;
  }
  if (most.warning > 0 && !waits && quietFor >= most.warning && told.warnedAt !== progress.activeAt) {
    told.warnedAt = progress.activeAt;
    acts.warn(quietFor);
  }
  if (most.life > 0 && now - told.life >= most.life) {
    told.life = now;
    if (!waits) acts.life(now - progress.startedAt);
  }
  const warn = told.warnedAt === progress.activeAt || waits ? undefined : { limit: most.warning, used: quietFor };
  const life = { limit: most.life, used: now - told.life };
  const left = [...passed, warn, life].flatMap((one) =>
    one === undefined || one.limit <= 0 || one.used === undefined ? [] : [Math.max(1, one.limit - one.used)],
  );
  return left.length === 0 ? undefined : Math.min(...left);
}
