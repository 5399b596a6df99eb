import * as z from "zod";
import { defineCommand } from "../define.js";
import { hookList } from "./text.js";

export default defineCommand({
  path: "hooks approve",
  summary: "Approve the files that a hook runs, as they are now.",
  topic: "hooks",
  params: z.object({ command: z.string().describe("command of the hook as configured, or all") }),
  positionals: ["command"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ command }, ctx) => {
    const rows = await ctx.hooks.approve(command);
    return { text: hookList(rows), data: rows };
  },
});
