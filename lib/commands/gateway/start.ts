import * as z from "zod";
import { defineCommand } from "../define.js";
import { verdictsOf } from "./verdicts.js";

export default defineCommand({
  path: "gateway start",
  summary: "Start the messaging gateway: its unit where one is installed, else a process of its own.",
  topic: "gateway",
  params: z.object({
    system: z.boolean().default(false).describe("through the unit of the machine, in place of that of the user"),
    all: z.boolean().default(false).describe("for every profile that has something to run"),
  }),
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async (scope, ctx) => verdictsOf(await ctx.gateways.start(scope), scope.all),
});
