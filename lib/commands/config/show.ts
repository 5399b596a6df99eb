import * as z from "zod";
import { defineCommand } from "../define.js";
import { settingLine } from "../render/settings.js";

export default defineCommand({
  path: "config show",
  summary: "Show the effective settings; * marks those that differ from the default.",
  topic: "config",
  params: z.object({}),
  surfaces: ["cli", "slash", "rpc"],
  access: "read",
  run: async (_params, ctx) => {
    const settings = ctx.settings.list();
    return {
      text: settings.map(settingLine).join("\n"),
      data: Object.fromEntries(settings.map(({ key, value, source }) => [key, { value, source }])),
    };
  },
});
