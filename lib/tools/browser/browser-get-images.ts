import * as z from "zod";
import { defineTool } from "../core/define.js";
import { browseResult } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";

export default defineTool({
  name: "browser_get_images",
  toolset: "browser",
  description: "List the pictures of the page with address, alternative text and size.",
  params: z.object({}),
  risk: "read",
  core: false,
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: () => "",
  run: (_given, ctx) => browseResult(ctx, { do: "images" }),
});
