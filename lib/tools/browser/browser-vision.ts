import * as z from "zod";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { browse, resultOf } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";

const params = z.object({
  question: z.string().min(1).max(4_000).describe("What you want to know about it."),
  annotate: z.boolean().default(false).describe("Draw the refs of elements into the picture."),
});

export default defineTool({
  name: "browser_vision",
  toolset: "browser",
  description:
    "Take a screenshot of the page to answer a question about it. If you see images you get the screenshot; otherwise another model answers.",
  params,
  risk: "read",
  core: false,
  secrets: "refused",
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ question }) => question.slice(0, 120),
  run,
});

async function run({ question, annotate }: z.output<typeof params>, ctx: ToolContext): Promise<ToolResult> {
  const answer = await browse(ctx, { do: "screenshot", annotate });
  const result = resultOf(answer);
  return answer.screenshot === undefined ? result : { ...result, images: [{ path: answer.screenshot, question }] };
}
