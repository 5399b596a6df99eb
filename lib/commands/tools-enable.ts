import * as z from "zod";
import { defineCommand } from "./define.js";
import { changeSets } from "./tools/change.js";

export default defineCommand({
  path: "tools enable",
  summary: "Offer toolsets again, or in addition.",
  topic: "tools",
  params: z.object({
    names: z.array(z.string()).min(1).describe("toolsets"),
    global: z.boolean().default(false).describe("in a chat: for every session of this home, not only this conversation"),
  }),
  positionals: ["names..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  busy: "idle",
  run: async (params, ctx) => changeSets(params, true, ctx),
});
