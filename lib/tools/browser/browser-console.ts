import * as z from "zod";
import { defineTool } from "../core/define.js";
import { act, browseResult } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";

const params = z.object({
  clear: z.boolean().default(false).describe("Forget the messages after this."),
  expression: z
    .string()
    .max(20_000)
    .optional()
    .describe("JavaScript to evaluate in the page instead; answers its value."),
});

export default defineTool({
  name: "browser_console",
  toolset: "browser",
  description:
    "Messages and errors of the page's console, the newest first, or the value of a JavaScript expression in the page.",
  params,
  risk: "external",
  core: false,
  asks: true,
  secrets: "refused",
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ expression }) => (expression ?? "").slice(0, 120),
  run: ({ clear, expression }, ctx) =>
    expression === undefined
      ? browseResult(ctx, { do: "console", clear })
      : act(ctx, { tool: "browser_console", preview: expression }, { do: "console", clear, expression }),
});
