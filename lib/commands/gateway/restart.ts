import * as z from "zod";
import { defineCommand } from "../define.js";
import { verdictsOf } from "./verdicts.js";

export default defineCommand({
  path: "gateway restart",
  summary: "Restart the messaging gateway; running turns of chats get their time, and what is cut off goes on.",
  topic: "gateway",
  params: z.object({
    system: z.boolean().default(false).describe("through the unit of the machine, in place of that of the user"),
    all: z.boolean().default(false).describe("for every profile that has something to run"),
  }),
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async (scope, ctx) => verdictsOf(await ctx.gateways.restart(scope), scope.all),
});
