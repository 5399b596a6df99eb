import * as z from "zod";
import { defineCommand } from "../../define.js";
import { checkDecides, PERSON, shownText } from "./text.js";

export default defineCommand({
  path: "skills approve",
  summary: "Apply a pending change of a skill, checked again first.",
  topic: "skills",
  params: z.object({ id: z.string().describe("id of the change, from /skills pending") }),
  positionals: ["id"],
  surfaces: ["slash"],
  access: "admin",
  self: "settings",
  whole: true,
  run: async ({ id }, ctx) => {
    checkDecides(ctx);
    const { version } = await (await ctx.skills.writes()).approve(id, { ...PERSON, note: "approved" });
    const [name, number] = version.split("@");
    return {
      text: shownText(`Applied as version ${number} of ${name}; /skills undo ${name} ${number} takes it back.`),
      data: { id, version },
    };
  },
});
