import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { ProviderConfig, ProviderTimeouts } from "../core/define.js";
import { isLoopbackUrl } from "../core/endpoints.js";

/** Limits of a protocol for its own silences, from the estimated tokens of the prompt. 0: none. */
export interface Watchdogs {
  readonly firstMs: (tokens: number, set: ProviderTimeouts) => Ms;
  readonly eventMs: (tokens: number, set: ProviderTimeouts) => Ms;
  /** Events that bring nothing of the answer do not count. */
  readonly progressMs: (tokens: number, set: ProviderTimeouts) => Ms;
}

/** How long a stream may bring nothing. 0: as long as the whole request. */
export interface Silence {
  readonly first: Ms;
  readonly event: Ms;
  readonly progress: Ms;
}

/**
 * The limits of one request (core part, 3.3, 3.5). A local server may load a model first, so only the whole request is limited there, unless the
 * settings say otherwise.
 */
export function silenceOf(config: ProviderConfig, tokens: number, watchdogs: Watchdogs | undefined): Silence {
  const { timeouts: set } = config;
  const local = isLoopbackUrl(config.baseUrl);
  const stale = set.staleMs ?? (local ? 0 : tokens > 100_000 ? 300_000 : tokens > 50_000 ? 240_000 : 180_000);
  if (watchdogs === undefined) return { first: stale, event: stale, progress: 0 };
  const own = (given: Ms | undefined, limit: Ms) =>
    given !== undefined ? limit : (set.staleMs ?? (local ? 0 : limit));
  return {
    first: own(set.firstMs, watchdogs.firstMs(tokens, set)),
    event: own(set.eventMs, watchdogs.eventMs(tokens, set)),
    progress: set.progressMs === undefined && local ? 0 : watchdogs.progressMs(tokens, set),
  };
}

/** Longest silence on the connection itself: never below the limits for events. */
export function idleMs({ first, event }: Silence, readMs: Ms): Ms {
  if (first === 0 || event === 0) return 0;
  return Math.max(first, event, readMs);
}

export interface StreamWatch {
  /** Set when a limit was passed: what did not come for how long. */
  readonly stale: string | undefined;
  /** An event came. */
  event(): void;
  /** It brought something of the answer. */
  progressed(): void;
  stop(): void;
}

/** Cuts a stream that is silent for too long. Bytes that hold no event (comments) do not count as life. */
export function watchStream(clock: Clock, silence: Silence, cut: () => void): StreamWatch {
  let stale: string | undefined;
  const timer = (limit: Ms, what: string) => {
    if (limit === 0) return () => undefined;
    return clock.after(limit, () => {
      stale ??= `no ${what} for ${limit} ms`;
      cut();
    });
  };
  let stopEvent = timer(silence.first, "event");
  let stopProgress = timer(silence.progress, "progress");
  return {
    get stale() {
      return stale;
    },
    event: () => {
      stopEvent();
      stopEvent = timer(silence.event, "event");
    },
    progressed: () => {
      stopProgress();
      stopProgress = timer(silence.progress, "progress");
    },
    stop: () => {
      stopEvent();
      stopProgress();
    },
  };
}
