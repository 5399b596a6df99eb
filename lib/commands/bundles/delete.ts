import * as z from "zod";
import { defineCommand } from "../define.js";
import { askYes } from "../plugins/plugin-rows.js";

export default defineCommand({
  path: "bundles delete",
  aliases: ["bundles rm"],
  summary: "Delete a bundle. Its skills stay.",
  topic: "skills",
  params: z.object({
    name: z.string().min(1).describe("name of the bundle"),
    yes: z.boolean().default(false).describe("delete it without asking"),
  }),
  positionals: ["name"],
  short: { yes: "y" },
  surfaces: ["cli", "slash", "rpc"],
  whole: true,
  access: "write",
  stdin: true,
  run: async ({ name, yes }, ctx) => {
    const api = await ctx.skills.bundles();
    const { slug, file } = api.find(name);
    if (!yes && !(await askYes(ctx, `Delete the bundle ${slug} (${file})?`)))
      return {
        text: `Nothing was deleted; -y deletes ${slug} without asking.`,
        data: { slug, deleted: false },
        exit: 1,
      };
    await api.remove(slug);
    return { text: `Deleted ${slug}. Its skills stay.`, data: { slug, deleted: true } };
  },
});
