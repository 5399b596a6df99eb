import * as z from "zod";
import { defineCommand } from "../define.js";
import { verdictsOf } from "./verdicts.js";

export default defineCommand({
  path: "gateway stop",
  summary: "Stop the messaging gateway. Running turns get time to finish.",
  topic: "gateway",
  params: z.object({
    system: z.boolean().default(false).describe("use the system unit instead of the user unit"),
    all: z.boolean().default(false).describe("all profiles with a gateway"),
    direct: z.boolean().default(false).describe("ask the gateway process directly, not the service manager"),
  }),
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async (scope, ctx) => verdictsOf(await ctx.gateways.stop(scope), scope.all),
});
