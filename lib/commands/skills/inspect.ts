import * as z from "zod";
import { defineCommand } from "../define.js";
import { previewText } from "./hub-text.js";

export default defineCommand({
  path: "skills inspect",
  summary: "Fetch a skill and show its files, what it may use and what the scanner finds, without installing it.",
  topic: "skills",
  params: z.object({ identifier: z.string().min(1).describe("as for agent skills install") }),
  positionals: ["identifier"],
  surfaces: ["cli", "slash"],
  access: "write",
  run: async ({ identifier }, ctx) => {
    const hub = await ctx.skills.hub();
    const local = ctx.origin === undefined;
    const preview = await hub.inspect(identifier, { cwd: ctx.cwd, local, signal: ctx.signal });
    return { text: previewText(preview), data: preview };
  },
});
