import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway uninstall",
  summary: "Stop and remove the service unit of this home's gateway.",
  topic: "gateway",
  params: z.object({
    system: z.boolean().default(false).describe("the unit of the machine, in place of that of the user"),
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
