import * as z from "zod";
import { defineMethod, type Methods } from "../backplane/methods.js";
import type { GatewayApi } from "../contracts/gateway/api.js";

const nothing = z.object({});

/** What processes that look after gateways ask of an owner. */
export const gatewayMethods = (gateway: GatewayApi): Methods =>
  new Map([
    ["gateway.status", defineMethod({ params: nothing, access: "read", run: async () => gateway.status() })],
    [
      "gateway.end",
      defineMethod({
        params: z.object({ why: z.enum(["stop", "restart", "handover"]), limit_ms: z.int().min(0).optional() }),
        access: "admin",
        repeat: () => "safe",
        run: async ({ why, limit_ms }) =>
          (await gateway.end({ why, ...(limit_ms === undefined ? {} : { limitMs: limit_ms }) })) ?? null,
      }),
    ],
    [
      "gateway.begin",
      defineMethod({ params: nothing, access: "admin", repeat: () => "safe", run: async () => gateway.begin() }),
    ],
    [
      "gateway.anew",
      defineMethod({
        params: nothing,
        access: "admin",
        run: async () => {
          await gateway.restart();
          return null;
        },
      }),
    ],
  ]);
