import * as z from "zod";
import { defineTool } from "../core/define.js";
import { browseResult } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";

const params = z.object({ direction: z.enum(["up", "down"]) });

export default defineTool({
  name: "browser_scroll",
  toolset: "browser",
  description:
    "Scroll the page, or the list that the last action was in, by most of its height. Answers the position and what is new.",
  params,
  risk: "read",
  core: false,
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ direction }) => direction,
  run: ({ direction }, ctx) => browseResult(ctx, { do: "step", step: { scroll: { direction } } }),
});
