import * as z from "zod";
import type { GatewaySeen } from "../../contracts/gateway/control.js";
import { defineCommand } from "../define.js";
import { renderGatewayStatus, statusRows } from "./text.js";

/** It does not run. */
const NOT_RUNNING = 3;

export default defineCommand({
  path: "gateway status",
  summary: "Show the gateway: platforms, queues, and messages of unknown delivery.",
  topic: "gateway",
  params: z.object({
    full: z.boolean().default(false).describe("do not truncate errors"),
    deep: z.boolean().default(false).describe("include the unit, base URLs, packages and recent log lines"),
    system: z.boolean().default(false).describe("use the system unit instead of the user unit"),
    all: z.boolean().default(false).describe("one row per profile"),
  }),
  short: { full: "l" },
  surfaces: ["cli"],
  access: "read",
  outside: true,
  run: async ({ full, deep, system, all }, ctx) => {
    if (!all) {
      const status = await ctx.gateways.status({ deep, system });
      return { text: renderGatewayStatus(status, full), data: status, exit: status.running ? 0 : NOT_RUNNING };
    }
    const found = await ctx.gateways.statusAll({ deep, system });
    const read = found.every((one): one is GatewaySeen => !("error" in one));
    return { text: statusRows(found), data: found, exit: read ? 0 : 1 };
  },
});
