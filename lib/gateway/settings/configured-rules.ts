import type { AppOptions } from "../../config/app-options.js";
import type { GatewayRules } from "./delivery-rules.js";
import { GATEWAY } from "./gateway-keys.js";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** What the configuration of a home says, read at every use. */
export function rulesOf({ config }: AppOptions): GatewayRules {
  return {
    backlog: () => config.get(GATEWAY.backlog),
    resendUnknown: () => config.get(GATEWAY.resendUnknown),
    retryBaseMs: () => config.get(GATEWAY.retryBase),
    outboxMaxAgeMs: () => config.get(GATEWAY.outboxHours) * HOUR_MS,
    inboxRetentionMs: () => config.get(GATEWAY.inboxDays) * DAY_MS,
  };
}
