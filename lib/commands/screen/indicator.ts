import * as z from "zod";
import { defineCommand } from "../define.js";

const KEY = "display.indicator";

export default defineCommand({
  path: "indicator",
  summary: "Choose the activity indicator: spinner, ASCII, or none.",
  topic: "workspace",
  params: z.object({
    what: z
      .enum(["unicode", "ascii", "none", "status"])
      .default("status")
      .describe("indicator (default: show the current one)"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }, ctx) => {
    const sign = what === "status" ? String(ctx.settings.get(KEY)?.value ?? "unicode") : what;
    return {
      text: `Activity indicator: ${sign}.`,
      data: { indicator: sign },
      ...(what === "status" ? {} : { next: { screen: { settings: { [KEY]: what } } } }),
    };
  },
});
