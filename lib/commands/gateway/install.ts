import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway install",
  summary: "Install and enable a service unit for the gateway of this home.",
  topic: "gateway",
  params: z.object({
    force: z.boolean().default(false).describe("replace a unit that differs"),
    system: z.boolean().default(false).describe("install a system unit instead of a user unit (needs root)"),
    run_as_user: z.string().min(1).optional().describe("user that a system unit runs as (default: the caller)"),
  }),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  outside: true,
  run: async ({ force, system, run_as_user }, ctx) => {
    const lines = await ctx.gateways.install({ force, system, runAs: run_as_user });
    return { text: lines.join("\n"), data: { ok: true, done: lines } };
  },
});
