import * as z from "zod";
import { defineCommand } from "../define.js";

const KEY = "display.tool_progress";
const TURNS = ["off", "new", "all", "verbose"] as const;

const MEANS: Readonly<Record<string, string>> = {
  off: "no rows of tools",
  new: "of tools that are called again and again, the first row",
  all: "every row of tools",
  verbose: "every row of tools, with what it gave",
};

export default defineCommand({
  path: "verbose",
  summary: "Which rows of tools are shown: off, new, all, verbose; with no argument, the next of these.",
  topic: "workspace",
  params: z.object({
    what: z
      .enum([...TURNS, "status"])
      .optional()
      .describe("off, new, all, verbose, or what holds now"),
  }),
  positionals: ["what"],
  surfaces: ["slash"],
  access: "read",
  run: async ({ what }, ctx) => {
    const now = String(ctx.settings.get(KEY)?.value ?? "all");
    const chosen = what === "status" ? now : (what ?? after(now));
    return {
      text: `Tools: ${chosen}, ${MEANS[chosen] ?? ""}.`,
      data: { tool_progress: chosen },
      ...(what === "status" ? {} : { next: { screen: { settings: { [KEY]: chosen } } } }),
    };
  },
});

const after = (now: string): string => TURNS[(TURNS.findIndex((one) => one === now) + 1) % TURNS.length] ?? "all";
