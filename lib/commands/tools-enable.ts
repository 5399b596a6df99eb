import * as z from "zod";
import { defineCommand } from "./define.js";
import { changeSets } from "./tools/change.js";

export default defineCommand({
  path: "tools enable",
  summary: "Offer toolsets again, or in addition.",
  topic: "tools",
  params: z.object({ names: z.array(z.string()).min(1).describe("toolsets") }),
  positionals: ["names..."],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ names }, ctx) => changeSets(names, true, ctx),
});
