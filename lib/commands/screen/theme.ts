import * as z from "zod";
import { defineCommand } from "../define.js";

const KEY = "display.theme";

export default defineCommand({
  path: "theme",
  aliases: ["skin"],
  summary: "Change the colours of the screen.",
  topic: "workspace",
  params: z.object({
    name: z
      .string()
      .optional()
      .describe("auto, dark, light, high-contrast, plain, or a file of themes/ without its ending"),
  }),
  positionals: ["name"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ name }, ctx) => {
    if (name !== undefined)
      return { text: `Theme: ${name}.`, data: { theme: name }, next: { screen: { theme: name } } };
    const now = String(ctx.settings.get(KEY)?.value ?? "auto");
    return {
      text: `Theme: ${now}. There are auto, dark, light, high-contrast, plain, and the files of themes/.`,
      data: { theme: now },
    };
  },
});
