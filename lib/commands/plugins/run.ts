import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "plugins run",
  summary: "Run a command of a plugin; agent <command> is short for it.",
  topic: "plugins",
  params: z.object({
    command: z.string().min(1).describe("name of the command"),
    args: z.array(z.string()).default([]).describe("what the command is given; after -- also options"),
  }),
  positionals: ["command", "args..."],
  surfaces: ["cli"],
  access: "admin",
  self: "control",
  run: async ({ command, args }, ctx) => {
    const { text, data, exit } = await ctx.plugins.run(command, args, {
      sessionId: null,
      cwd: ctx.cwd,
      signal: ctx.signal,
    });
    return { data, ...(text !== undefined && { text }), ...(exit !== undefined && { exit }) };
  },
});
