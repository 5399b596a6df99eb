import type { Ms } from "../../base/units.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What the configuration says about messages that come and go (gateway part, 4.3). Read again each time: a change holds at once. */
export interface GatewayRules {
  readonly backlog: () => "keep" | "drop";
  readonly resendUnknown: () => boolean;
  /** Wait before the second attempt; each further one is twice as long. */
  readonly retryBaseMs: () => Ms;
  /** Age at which an unsent message is given up. */
  readonly outboxMaxAgeMs: () => Ms;
  /** How long keys of events are remembered. */
  readonly inboxRetentionMs: () => Ms;
}

/** The rules of a home that sets nothing. */
export const DEFAULT_RULES: GatewayRules = {
  backlog: () => "keep",
  resendUnknown: () => false,
  retryBaseMs: () => 1000,
  outboxMaxAgeMs: () => DAY_MS,
  inboxRetentionMs: () => 30 * DAY_MS,
};

/** What finished rows held is forgotten after this. */
export const INBOX_PAYLOAD_MS: Ms = DAY_MS;
export const OUTBOX_PAYLOAD_MS: Ms = 7 * DAY_MS;
/** How long finished rows of the outbox, `unknown` and `failed` ones among them, are listed. */
export const OUTBOX_ROW_MS: Ms = 30 * DAY_MS;

/** Wait before attempt `n + 1`: `base` * 2^(n-1), at most 300 s, a fifth more or less. `chance` gives 0 to below 1. */
export function backoff(base: Ms, n: number, chance: () => number): Ms {
  const grown = base * 2 ** Math.min(Math.max(0, n - 1), 30);
  return Math.min(LONGEST_MS, Math.round(Math.min(LONGEST_MS, grown) * (0.8 + 0.4 * chance())));
}

const LONGEST_MS: Ms = 300_000;
