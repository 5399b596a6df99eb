import * as z from "zod";
import { defineCommand } from "../define.js";
import { switchFor } from "./parts/edits-switch.js";

export default defineCommand({
  path: "permissions edits",
  summary: "Choose whether edits to project files need approval. Within a conversation, for it only.",
  topic: "permissions",
  params: z.object({
    edits: z.enum(["allow", "ask"]).optional().describe("allow or ask (default: show the current value)"),
  }),
  positionals: ["edits"],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: ({ edits }, ctx) => switchFor("edits", edits, ctx),
});
