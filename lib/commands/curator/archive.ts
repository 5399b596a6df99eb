import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "curator archive",
  summary: "Move a skill of the home to skills/.archive.",
  topic: "curator",
  params: z.object({ name: z.string().describe("skill") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  run: async ({ name }, ctx) => {
    const path = await (await ctx.skills.curator()).archive(name);
    return {
      text: `Archived ${name} as skills/.archive/${path}; agent curator restore ${name} brings it back.`,
      data: { name, path },
    };
  },
});
