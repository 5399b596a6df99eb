import * as z from "zod";
import { defineCommand } from "../define.js";
import { switchFor } from "./parts/edits-switch.js";

export default defineCommand({
  path: "permissions mode",
  summary:
    "Who is asked about risky calls: you (manual), first a model (smart), nobody (off). In a conversation for it alone.",
  topic: "permissions",
  params: z.object({
    mode: z.enum(["manual", "smart", "off"]).optional().describe("the new mode; without it the one in force is shown"),
  }),
  positionals: ["mode"],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: ({ mode }, ctx) => switchFor("mode", mode, ctx),
});
