/** What holds for every set of credentials of one provider, whether its keys come from the settings or from logins (proxy part, 5). */
import { isRecord } from "../../base/json/record.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { Config } from "../config/config.js";
import { COOLDOWN_AUTH, COOLDOWN_BILLING, COOLDOWN_RATE_LIMIT, COOLDOWN_SOLE, POOL_STRATEGIES } from "./pool-keys.js";

/** Why a credential rests. */
export type RestCause = "auth" | "billing" | "rate_limit";

export type PoolStrategy = "fill_first" | "round_robin" | "least_used" | "random";

/** A sole key whose account is empty is looked at again sooner than one among others (proxy part, 5.2). */
const SOLE_BILLING_MS: Ms = 300_000;

/** A credential that can never work again says so. */
const DEAD = [
  "token_invalidated",
  "token_revoked",
  "invalid_token",
  "invalid_grant",
  "unauthorized_client",
  "refresh_token_reused",
];
const USED_UP = ["usage limit", "usage_limit"];

/** The reason of a 401 in which the provider says that the credential is gone for good, or undefined. */
export const deadReason = (text: string): string | undefined => DEAD.find((word) => text.toLowerCase().includes(word));

/** A rate limit that the same credential cannot wait for. */
export const saysUsedUp = (text: string): boolean => USED_UP.some((word) => text.toLowerCase().includes(word));

/** How the credentials of a provider take turns; an unknown strategy counts as `fill_first`. */
export function strategyOf(config: Config, provider: string): PoolStrategy {
  const all = config.get(POOL_STRATEGIES);
  const named = isRecord(all) ? all[provider] : undefined;
  return named === "round_robin" || named === "least_used" || named === "random" ? named : "fill_first";
}

/**
 * The credential whose turn it is. `order`: place in the pool, from 0; who takes turns is moved behind the others by the caller.
 * @param random from 0 up to 1
 */
export function pickCredential<T extends { readonly order: number; readonly requests: number }>(
  usable: readonly T[],
  strategy: PoolStrategy,
  random: () => number,
): T | undefined {
  if (strategy === "random") return usable[Math.floor(random() * usable.length)];
  const byOrder = usable.toSorted((a, b) => a.order - b.order);
  if (strategy === "least_used") return byOrder.toSorted((a, b) => a.requests - b.requests)[0];
  return byOrder[0];
}

/** How long a credential rests. @param sole no other of the provider is available. @param told what the provider says, already clamped */
export function restMs(
  config: Config,
  cause: RestCause,
  { sole, told }: { readonly sole: boolean; readonly told?: Ms | undefined },
): Ms {
  if (cause === "auth") return config.get(COOLDOWN_AUTH) * 1_000;
  if (cause === "billing") return sole ? SOLE_BILLING_MS : config.get(COOLDOWN_BILLING) * 1_000;
  return told ?? config.get(sole ? COOLDOWN_SOLE : COOLDOWN_RATE_LIMIT) * 1_000;
}

export interface Exhausted {
  readonly provider: string;
  readonly count: number;
  readonly cause: "billing" | "rate_limit";
  /** When the first of them is available again. */
  readonly until: EpochMs;
  readonly now: EpochMs;
}

/** What a caller reads when every credential rests. */
export function exhaustedText({ provider, count, cause, until, now }: Exhausted): string {
  const free = `available at ${timeOf(until)} (in ${spanOf(Math.max(0, until - now))})`;
  const limited = cause === "rate_limit";
  if (count === 1)
    return `${everyCredential(1, provider)} ${limited ? "is rate-limited" : "is out of credit"}; ${free}.`;
  return `${everyCredential(count, provider)} ${limited ? "are rate-limited" : "are out of credit"}; the earliest is ${free}.`;
}

/** Beginning of a sentence about all credentials of a provider: "All 2 credentials for x", "The only credential for x". */
export const everyCredential = (count: number, provider: string): string =>
  count === 1 ? `The only credential for ${provider}` : `All ${count} credentials for ${provider}`;

const timeOf = (at: EpochMs): string => new Date(at).toTimeString().slice(0, 8);

/** `90 s`, `12 min`, `3 h`. */
export function spanOf(ms: Ms): string {
  const seconds = Math.ceil(ms / 1_000);
  if (seconds < 120) return `${seconds} s`;
  return seconds < 7_200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3_600)} h`;
}
