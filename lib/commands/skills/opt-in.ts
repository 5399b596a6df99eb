import * as z from "zod";
import { SKILLS_BUNDLED } from "../../contracts/skills/keys.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "skills opt-in",
  summary: "Offer the skills that come with the product.",
  topic: "skills",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    await ctx.settings.change({ [SKILLS_BUNDLED.key]: true });
    return { text: "The product's own skills are offered.", data: { bundled: true } };
  },
});
