import type { GatewayHooks } from "../../contracts/gateway/hooks.js";

/** Where there are none. */
export const NO_HOOKS: GatewayHooks = {
  wants: () => false,
  tell: () => undefined,
  asks: () => false,
  decide: async () => undefined,
  idle: async () => undefined,
};
