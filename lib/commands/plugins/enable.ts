import * as z from "zod";
import { defineCommand } from "../define.js";
import { consentAsker } from "./plugin-rows.js";

export default defineCommand({
  path: "plugins enable",
  summary: "Enable a plugin; a running owner loads it at once.",
  topic: "plugins",
  params: z.object({
    name: z.string().min(1).describe("key or name of the plugin"),
    yes: z.boolean().default(false).describe("for a plugin of the project: run exactly the files it has now"),
  }),
  positionals: ["name"],
  short: { yes: "y" },
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  stdin: true,
  run: async ({ name, yes }, ctx) => {
    const row = await ctx.plugins.enable(name, consentAsker(ctx, yes));
    const failed = row.state === "error";
    const text = failed ? `Enabled ${row.key}, which cannot be loaded: ${row.error}` : `Enabled ${row.key}.`;
    return { text, data: row, exit: failed ? 1 : 0 };
  },
});
