import * as z from "zod";
import { defineCommand } from "../define.js";
import { verdictsOf } from "./verdicts.js";

export default defineCommand({
  path: "gateway restart",
  summary: "Restart the messaging gateway. Running turns get time to finish; interrupted turns resume.",
  topic: "gateway",
  params: z.object({
    system: z.boolean().default(false).describe("use the system unit instead of the user unit"),
    all: z.boolean().default(false).describe("all profiles with a gateway"),
  }),
  surfaces: ["cli"],
  access: "admin",
  outside: true,
  run: async (scope, ctx) => verdictsOf(await ctx.gateways.restart(scope), scope.all),
});
