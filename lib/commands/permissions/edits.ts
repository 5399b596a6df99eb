import * as z from "zod";
import { defineCommand } from "../define.js";
import { switchFor } from "./parts/edits-switch.js";

export default defineCommand({
  path: "permissions edits",
  summary: "Whether writing files of the project is asked about. In a conversation for it alone.",
  topic: "permissions",
  params: z.object({
    edits: z.enum(["allow", "ask"]).optional().describe("allow or ask; without it what is in force is shown"),
  }),
  positionals: ["edits"],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: ({ edits }, ctx) => switchFor("edits", edits, ctx),
});
