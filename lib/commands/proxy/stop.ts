import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "proxy stop",
  summary: "Close the listeners of the local proxy. Requests in progress get 10 seconds.",
  topic: "proxy",
  params: z.object({
    port: z.number().int().min(1).max(65_535).optional().describe("limit to the listener on this port"),
  }),
  surfaces: ["cli", "rpc"],
  access: "read",
  self: "control",
  run: async ({ port }, ctx) => {
    const closed = await ctx.proxy.stop(port);
    const where = port === undefined ? "" : ` on port ${port}`;
    const text =
      closed === 0 ? `no proxy is open${where}` : `closed ${closed} ${closed === 1 ? "listener" : "listeners"}${where}`;
    return { text, data: { ok: closed > 0, closed }, exit: closed > 0 ? 0 : 1 };
  },
});
