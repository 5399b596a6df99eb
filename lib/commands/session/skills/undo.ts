import * as z from "zod";
import { defineCommand } from "../../define.js";
import { checkDecides, PERSON, shownText } from "./text.js";

export default defineCommand({
  path: "skills undo",
  summary: "Restore the files of a skill as they were before a version.",
  topic: "skills",
  params: z.object({
    name: z.string().describe("name of the skill"),
    version: z.string().describe("number of the version, from /skills diff NAME"),
  }),
  positionals: ["name", "version"],
  surfaces: ["slash"],
  access: "admin",
  self: "settings",
  whole: true,
  run: async ({ name, version: given }, ctx) => {
    checkDecides(ctx);
    const undone = given.includes("@") ? given : `${name}@${given}`;
    const { version } = await (await ctx.skills.writes()).undo(undone, PERSON);
    return { text: shownText(`Undone; kept as version ${version}.`), data: { undone, version } };
  },
});
