import * as z from "zod";
import { SKILLS_BUNDLED } from "../../contracts/skills/keys.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "skills opt-out",
  summary: "Leave out the skills that come with the product.",
  topic: "skills",
  params: z.object({}),
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  run: async (_params, ctx) => {
    await ctx.settings.change({ [SKILLS_BUNDLED.key]: false });
    return {
      text: "The product's own skills are left out; agent skills opt-in offers them again.",
      data: { bundled: false },
    };
  },
});
