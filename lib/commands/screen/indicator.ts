import * as z from "zod";
import { defineCommand } from "../define.js";

const KEY = "display.indicator";

export default defineCommand({
  path: "indicator",
  summary: "The sign of running work: a turning one, one of ASCII letters, or none.",
  topic: "workspace",
  params: z.object({
    what: z.enum(["unicode", "ascii", "none", "status"]).default("status").describe("which sign, or what holds now"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }, ctx) => {
    const sign = what === "status" ? String(ctx.settings.get(KEY)?.value ?? "unicode") : what;
    return {
      text: `Sign of running work: ${sign}.`,
      data: { indicator: sign },
      ...(what === "status" ? {} : { next: { screen: { settings: { [KEY]: what } } } }),
    };
  },
});
