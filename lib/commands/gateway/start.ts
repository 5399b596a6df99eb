import * as z from "zod";
import { defineCommand } from "../define.js";
import { verdictsOf } from "./verdicts.js";

export default defineCommand({
  path: "gateway start",
  summary: "Start the messaging gateway, through its service unit if installed.",
  topic: "gateway",
  params: z.object({
    system: z.boolean().default(false).describe("use the system unit instead of the user unit"),
    all: z.boolean().default(false).describe("all profiles with a gateway"),
  }),
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async (scope, ctx) => verdictsOf(await ctx.gateways.start(scope), scope.all),
});
