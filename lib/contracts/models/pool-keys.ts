import { configKey } from "../config/config.js";

export const POOL_STRATEGIES = configKey<unknown>({
  key: "credential_pool_strategies",
  kind: { type: "any" },
  default: {},
  help: "Selection among several keys of a provider, by provider: fill_first (default), round_robin, least_used, random.",
});

const cooldown = (name: string, seconds: number, help: string) =>
  configKey<number>({
    key: `credential_pool.cooldown.${name}`,
    kind: { type: "integer", min: 1 },
    default: seconds,
    help,
  });

export const COOLDOWN_AUTH = cooldown("auth_seconds", 300, "Seconds that a rejected key is not used.");
export const COOLDOWN_BILLING = cooldown("billing_seconds", 3_600, "Seconds that a key without credit is not used.");
export const COOLDOWN_RATE_LIMIT = cooldown(
  "rate_limit_seconds",
  3_600,
  "Seconds that a key is not used after two rate limits, if the provider does not report a time.",
);
export const COOLDOWN_SOLE = cooldown(
  "sole_seconds",
  60,
  "Seconds that the last usable key of a provider is not used after two rate limits.",
);

/** Every key of the pools. */
export const POOL_KEYS = [
  POOL_STRATEGIES,
  COOLDOWN_AUTH,
  COOLDOWN_BILLING,
  COOLDOWN_RATE_LIMIT,
  COOLDOWN_SOLE,
] as const;
