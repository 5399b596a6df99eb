import * as z from "zod";
import { defineTool } from "../core/define.js";
import { browseResult } from "./browse.js";
import { FIND, findOf } from "./find.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";

const params = z.object({
  full: z.boolean().default(false).describe("The tree itself, at most 8000 characters."),
  find: FIND,
});

export default defineTool({
  name: "browser_snapshot",
  toolset: "browser",
  description:
    "Look at the current page: what has changed, and elements with refs. `find` shows matching elements first; the whole page is in `file`.",
  params,
  risk: "read",
  core: false,
  secrets: "refused",
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ full }) => (full ? "full" : ""),
  run: ({ full, find }, ctx) => browseResult(ctx, { do: "snapshot", full, ...findOf(find) }),
});
