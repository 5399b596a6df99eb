import * as z from "zod";
import { defineCommand } from "../../define.js";
import { checkDecides, shownText } from "./text.js";

export default defineCommand({
  path: "skills reject",
  summary: "Discard a pending change of a skill.",
  topic: "skills",
  params: z.object({ id: z.string().describe("id of the change, from /skills pending") }),
  positionals: ["id"],
  surfaces: ["slash"],
  access: "admin",
  self: "settings",
  whole: true,
  run: async ({ id }, ctx) => {
    checkDecides(ctx);
    const { summary } = await (await ctx.skills.writes()).reject(id);
    return { text: shownText(`Discarded: ${summary}.`), data: { id, summary } };
  },
});
