import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "gateway install",
  summary: "Write and enable a service unit that runs the gateway of this home.",
  topic: "gateway",
  params: z.object({
    force: z.boolean().default(false).describe("replace a unit that differs from what would be written now"),
    system: z.boolean().default(false).describe("a unit of the machine, in place of one of the user; needs root"),
    run_as_user: z.string().min(1).optional().describe("who runs a unit of the machine; default: who calls"),
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
