import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "skills repair-official",
  summary: "Put missing and changed files of installed official skills back; yours are kept as FILE.orig.",
  topic: "skills",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    const repaired = await (await ctx.skills.hub()).repairOfficial();
    const text =
      repaired.length === 0
        ? "Nothing to repair."
        : repaired.map(({ name, files }) => `Repaired ${name}: ${files.join(", ")}`).join("\n");
    return { text, data: repaired };
  },
});
