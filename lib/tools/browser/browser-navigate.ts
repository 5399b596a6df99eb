import * as z from "zod";
import { defineTool } from "../core/define.js";
import { act } from "./browse.js";
import { FIND, findOf } from "./find.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";

const params = z.object({
  url: z.string().trim().min(1).max(8_000).describe("http or https address."),
  find: FIND,
});

export default defineTool({
  name: "browser_navigate",
  toolset: "browser",
  description:
    "Open a web page in the browser. Answers a short view of it with refs (e12) of elements; the whole page is in `file`, to search or read. To only read a page use web_extract.",
  params,
  risk: "external",
  core: false,
  asks: true,
  secrets: "refused",
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ url }) => url.slice(0, 120),
  run: ({ url, find }, ctx) => {
    // People and models leave the scheme out.
    const address = /^[a-z][a-z0-9+.-]*:/i.test(url) && !/^[^/]*:\d+(\/|$)/.test(url) ? url : `https://${url}`;
    const acting = { tool: "browser_navigate", preview: address };
    return act(ctx, acting, { do: "navigate", url: address, ...findOf(find) });
  },
});
