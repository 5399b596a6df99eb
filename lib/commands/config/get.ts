import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { renderValue } from "../render/settings.js";

export default defineCommand({
  path: "config get",
  summary: "Print one setting.",
  topic: "config",
  params: z.object({
    key: z.string().describe("dotted path"),
    source: z.boolean().default(false).describe("also print where the value comes from"),
  }),
  positionals: ["key"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ key, source }, ctx) => {
    const setting = ctx.settings.get(key);
    if (!setting) {
      const section = ctx.settings.keys.some((one) => one.key.startsWith(`${key}.`));
      throw new AppError("E_NOT_FOUND", section ? `${key} is a section, not a setting` : `unknown setting: ${key}`, {
        hint: section ? `agent config list ${key} describes its settings` : "agent config list describes every setting",
      });
    }
    return {
      text: source ? `${renderValue(setting.value)}  (${setting.source})` : renderValue(setting.value),
      data: setting,
    };
  },
});
