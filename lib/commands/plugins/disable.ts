import * as z from "zod";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "plugins disable",
  summary: "Disable a plugin; what it registered is withdrawn at once.",
  topic: "plugins",
  params: z.object({ name: z.string().min(1).describe("key or name of the plugin") }),
  positionals: ["name"],
  surfaces: ["cli", "slash"],
  access: "admin",
  self: "settings",
  run: async ({ name }, ctx) => {
    const row = await ctx.plugins.disable(name);
    return { text: `Disabled ${row.key}.`, data: row };
  },
});
