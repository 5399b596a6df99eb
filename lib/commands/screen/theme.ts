import * as z from "zod";
import { defineCommand } from "../define.js";

const KEY = "display.theme";

export default defineCommand({
  path: "theme",
  aliases: ["skin"],
  summary: "Change the color theme.",
  topic: "workspace",
  params: z.object({
    name: z
      .string()
      .optional()
      .describe("auto, dark, light, high-contrast, plain, or a file name in themes/ without extension"),
  }),
  positionals: ["name"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ name }, ctx) => {
    if (name !== undefined)
      return { text: `Theme: ${name}.`, data: { theme: name }, next: { screen: { theme: name } } };
    const now = String(ctx.settings.get(KEY)?.value ?? "auto");
    return {
      text: `Theme: ${now}. Available: auto, dark, light, high-contrast, plain, and the files in themes/.`,
      data: { theme: now },
    };
  },
});
