import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";

export default defineCommand({
  path: "config unset",
  summary: "Remove one setting from the file; its default applies.",
  topic: "config",
  params: z.object({ key: z.string().describe("dotted path") }),
  positionals: ["key"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  self: "settings",
  run: async ({ key }, ctx) => {
    if (!(await ctx.settings.unset(key)))
      throw new AppError("E_NOT_FOUND", `${key} is not set in ${ctx.settings.path}`, { hint: "agent config show" });
    return { text: `${key} removed`, data: { ok: true, key } };
  },
});
