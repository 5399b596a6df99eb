import { configKey } from "../config/config.js";

export const POOL_STRATEGIES = configKey<unknown>({
  key: "credential_pool_strategies",
  kind: { type: "any" },
  default: {},
  help: "Which of several keys of a provider is taken, by provider: fill_first (the default), round_robin, least_used, random.",
});

const cooldown = (name: string, seconds: number, help: string) =>
  configKey<number>({
    key: `credential_pool.cooldown.${name}`,
    kind: { type: "integer", min: 1 },
    default: seconds,
    help,
  });

export const COOLDOWN_AUTH = cooldown("auth_seconds", 300, "Seconds that a key rests after it was refused.");
export const COOLDOWN_BILLING = cooldown(
  "billing_seconds",
  3_600,
  "Seconds that a key rests whose account has no credit left.",
);
export const COOLDOWN_RATE_LIMIT = cooldown(
  "rate_limit_seconds",
  3_600,
  "Seconds that a key rests after two rate limits, where the provider does not say how long.",
);
export const COOLDOWN_SOLE = cooldown("sole_seconds", 60, "The same for the last usable key of a provider.");

/** Every key of the pools. */
export const POOL_KEYS = [
  POOL_STRATEGIES,
  COOLDOWN_AUTH,
  COOLDOWN_BILLING,
  COOLDOWN_RATE_LIMIT,
  COOLDOWN_SOLE,
] as const;
