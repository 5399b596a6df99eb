import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { defineCommand } from "../define.js";
import { renderValue } from "../render/settings.js";

export default defineCommand({
  path: "config get",
  summary: "Show one setting.",
  topic: "config",
  params: z.object({
    key: z.string().describe("dotted path"),
    source: z.boolean().default(false).describe("say where the value comes from"),
  }),
  positionals: ["key"],
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async ({ key, source }, ctx) => {
    const setting = ctx.settings.get(key);
    if (!setting)
      throw new AppError("E_NOT_FOUND", `unknown setting: ${key}`, { hint: "agent config show lists every setting" });
    return {
      text: source ? `${renderValue(setting.value)}  (${setting.source})` : renderValue(setting.value),
      data: setting,
    };
  },
});
