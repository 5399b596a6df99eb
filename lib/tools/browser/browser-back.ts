import * as z from "zod";
import { defineTool } from "../core/define.js";
import { act } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";

export default defineTool({
  name: "browser_back",
  toolset: "browser",
  description: "Go back in the history of the page. A popup without history is closed.",
  params: z.object({}),
  risk: "external",
  core: false,
  asks: true,
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: () => "",
  run: (_given, ctx) => act(ctx, { tool: "browser_back", preview: "" }, { do: "back" }),
});
