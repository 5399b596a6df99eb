import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "hooks revoke",
  aliases: ["hooks rm"],
  summary: "Withdraw the approval of a hook.",
  topic: "hooks",
  params: z.object({ command: z.string().describe("command of the hook as configured") }),
  positionals: ["command"],
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async ({ command }, ctx) => {
    const revoked = await ctx.hooks.revoke(command);
    return { text: `revoked: ${command}`, data: { command, revoked } };
  },
});
