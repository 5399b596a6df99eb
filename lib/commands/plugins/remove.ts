import * as z from "zod";
import { defineCommand } from "../define.js";
import { askYes } from "./plugin-rows.js";

export default defineCommand({
  path: "plugins remove",
  aliases: ["plugins rm", "plugins uninstall"],
  summary: "Remove an installed plugin with its files. Its data and settings stay.",
  topic: "plugins",
  params: z.object({
    name: z.string().min(1).describe("key or name of the plugin"),
    yes: z.boolean().default(false).describe("remove it without asking"),
  }),
  positionals: ["name"],
  short: { yes: "y" },
  surfaces: ["cli"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async ({ name, yes }, ctx) => {
    if (!yes && !(await askYes(ctx, `Remove ${name} and its files?`)))
      return { text: `Nothing was removed; -y removes ${name} without asking.`, data: { removed: false }, exit: 1 };
    await ctx.plugins.remove(name);
    return { text: `Removed ${name}.`, data: { removed: true } };
  },
});
