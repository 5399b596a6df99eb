import * as z from "zod";
import { defineCommand } from "../define.js";
import { switchFor } from "./parts/edits-switch.js";

export default defineCommand({
  path: "permissions mode",
  summary:
    "Choose who approves risky calls: you (manual), a model first (smart), no one (off). Within a conversation, for it only.",
  topic: "permissions",
  params: z.object({
    mode: z.enum(["manual", "smart", "off"]).optional().describe("new mode (default: show the current one)"),
  }),
  positionals: ["mode"],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: ({ mode }, ctx) => switchFor("mode", mode, ctx),
});
