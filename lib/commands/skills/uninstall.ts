import * as z from "zod";
import { defineCommand } from "../define.js";
import { askYes } from "../plugins/plugin-rows.js";

export default defineCommand({
  path: "skills uninstall",
  summary: "Remove a skill that was installed from a source.",
  topic: "skills",
  params: z.object({
    name: z.string().min(1).describe("name of the skill"),
    force: z.boolean().default(false).describe("remove files that you changed as well"),
    yes: z.boolean().default(false).describe("do not ask"),
  }),
  positionals: ["name"],
  short: { force: "f", yes: "y" },
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async ({ name, force, yes }, ctx) => {
    if (!yes && ctx.tty === true && !ctx.json && !(await askYes(ctx, `Remove the skill ${name}?`)))
      return { text: "Nothing was removed.", data: null, exit: 1 };
    const gone = await (await ctx.skills.hub()).uninstall(name, force);
    return { text: `Removed ${gone.name}.`, data: gone };
  },
});
