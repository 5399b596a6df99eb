import * as z from "zod";
import { defineCommand } from "../define.js";
import { askYes } from "../plugins/plugin-rows.js";

export default defineCommand({
  path: "skills reset",
  summary: "Let files that you changed follow their source again with the next update.",
  topic: "skills",
  params: z.object({
    name: z.string().min(1).describe("name of the skill"),
    restore: z.boolean().default(false).describe("put the installed files back at once; your changes are lost"),
    yes: z.boolean().default(false).describe("do not ask"),
  }),
  positionals: ["name"],
  short: { yes: "y" },
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async ({ name, restore, yes }, ctx) => {
    if (restore && !yes && !(await askYes(ctx, `Give up your changes of ${name}?`)))
      return { text: "Nothing was changed; -y restores it without asking.", data: null, exit: 1 };
    const skill = await (await ctx.skills.hub()).reset(name, restore);
    return { text: restore ? `Restored ${name}.` : `${name} follows its source with the next update.`, data: skill };
  },
});
