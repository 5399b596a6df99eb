import * as z from "zod";
import { defineCommand } from "./define.js";
import { statusText } from "./gateway/text.js";

/** It does not run. */
const NOT_RUNNING = 3;

export default defineCommand({
  path: "gateway status",
  summary: "Show the messaging gateway: its platforms, what waits, and messages that may not have arrived.",
  topic: "gateway",
  params: z.object({ full: z.boolean().default(false).describe("do not shorten errors") }),
  short: { full: "l" },
  surfaces: ["cli", "rpc"],
  access: "read",
  run: async ({ full }, ctx) => {
    const status = await ctx.gateway.status();
    return { text: statusText(status, full), data: status, exit: status.running ? 0 : NOT_RUNNING };
  },
});
