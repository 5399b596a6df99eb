import * as z from "zod";
import { defineTool } from "../core/define.js";
import { act } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";
import { REF } from "./steps.js";

const params = z.object({ ref: REF });

export default defineTool({
  name: "browser_click",
  toolset: "browser",
  description: "Click an element of the page by its ref. Answers what the click has changed.",
  params,
  risk: "external",
  core: false,
  asks: true,
  secrets: "refused",
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ ref }) => ref,
  run: ({ ref }, ctx) => act(ctx, { tool: "browser_click", preview: ref }, { do: "step", step: { click: { ref } } }),
});
