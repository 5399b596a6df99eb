import * as z from "zod";
import { defineCommand } from "../define.js";
import { pluginTable } from "./plugin-rows.js";

export default defineCommand({
  path: "plugins list",
  aliases: ["plugins ls"],
  summary: "List plugins with their state, source, commit and error.",
  topic: "plugins",
  params: z.object({
    enabled: z.boolean().default(false).describe("enabled plugins only"),
    user: z.boolean().default(false).describe("plugins of the home only"),
    no_bundled: z.boolean().default(false).describe("without plugins of the product"),
    plain: z.boolean().default(false).describe("keys only, one a line"),
  }),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ enabled, user, no_bundled, plain }, ctx) => {
    const rows = (await ctx.plugins.list()).filter(
      ({ state, source }) =>
        (!enabled || !["disabled", "not enabled"].includes(state)) &&
        (!user || source === "user") &&
        (!no_bundled || source !== "bundled"),
    );
    if (rows.length === 0)
      return { text: plain ? "" : "No plugins. agent help plugins explains how to install one.", data: rows };
    return { text: plain ? rows.map(({ key }) => key).join("\n") : pluginTable(rows), data: rows };
  },
});
