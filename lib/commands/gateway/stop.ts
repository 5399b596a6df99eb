import * as z from "zod";
import { defineCommand } from "../define.js";
import { verdictsOf } from "./verdicts.js";

export default defineCommand({
  path: "gateway stop",
  summary: "Stop the messaging gateway; running turns of chats get their time.",
  topic: "gateway",
  params: z.object({
    system: z.boolean().default(false).describe("through the unit of the machine, in place of that of the user"),
    all: z.boolean().default(false).describe("for every profile that has something to run"),
    direct: z.boolean().default(false).describe("ask the gateway itself, not the service manager"),
  }),
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async (scope, ctx) => verdictsOf(await ctx.gateways.stop(scope), scope.all),
});
