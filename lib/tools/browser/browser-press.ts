import * as z from "zod";
import { defineTool } from "../core/define.js";
import { act } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";
import { KEY } from "./steps.js";

const params = z.object({ key: KEY });

export default defineTool({
  name: "browser_press",
  toolset: "browser",
  description: "Press a key in the page, where the focus is.",
  params,
  risk: "external",
  core: false,
  asks: true,
  secrets: "refused",
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ key }) => key,
  run: ({ key }, ctx) => act(ctx, { tool: "browser_press", preview: key }, { do: "step", step: { press: { key } } }),
});
