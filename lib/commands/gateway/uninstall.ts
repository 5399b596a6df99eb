import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway uninstall",
  summary: "Stop and remove the gateway's service unit.",
  topic: "gateway",
  params: z.object({
    system: z.boolean().default(false).describe("use the system unit instead of the user unit"),
  }),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  outside: true,
  run: async ({ system }, ctx) => {
    const lines = await ctx.gateways.uninstall({ system });
    return { text: lines.join("\n"), data: { ok: true, done: lines } };
  },
});
