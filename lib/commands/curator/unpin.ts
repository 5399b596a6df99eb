import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "curator unpin",
  summary: "Unpin a skill.",
  topic: "curator",
  params: z.object({ name: z.string().describe("skill") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ name }, ctx) => {
    await (await ctx.skills.curator()).pin(name, false);
    return { text: `Unpinned ${name}.`, data: { name, pinned: false } };
  },
});
