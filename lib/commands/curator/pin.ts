import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "curator pin",
  summary: "Pin a skill: the curator never changes or archives it.",
  topic: "curator",
  params: z.object({ name: z.string().describe("skill") }),
  positionals: ["name"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ name }, ctx) => {
    await (await ctx.skills.curator()).pin(name, true);
    return { text: `Pinned ${name}.`, data: { name, pinned: true } };
  },
});
