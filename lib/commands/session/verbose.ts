import * as z from "zod";
import { defineCommand } from "../define.js";

const KEY = "display.tool_progress";
const TURNS = ["off", "new", "all", "verbose"] as const;
const NEXT: ReadonlyMap<string, string> = new Map(TURNS.map((one, at) => [one, TURNS[(at + 1) % TURNS.length] ?? one]));

const MEANS: Readonly<Record<string, string>> = {
  off: "no tool rows",
  new: "repeated calls of a tool as one row",
  all: "every tool row",
  verbose: "every tool row, with its result",
};

export default defineCommand({
  path: "verbose",
  summary: "Choose which tool rows are shown: off, new, all, verbose (default: the next of these).",
  topic: "workspace",
  params: z.object({
    what: z
      .enum([...TURNS, "status"])
      .optional()
      .describe("off, new, all, verbose, or status"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }, ctx) => {
    const now = String(ctx.settings.get(KEY)?.value ?? "all");
    const chosen = what === "status" ? now : (what ?? NEXT.get(now) ?? "off");
    return {
      text: `Tools: ${chosen}, ${MEANS[chosen] ?? ""}.`,
      data: { tool_progress: chosen },
      ...(what === "status" ? {} : { next: { screen: { settings: { [KEY]: chosen } } } }),
    };
  },
});
