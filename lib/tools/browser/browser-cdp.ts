import * as z from "zod";
import { defineTool } from "../core/define.js";
import { browseResult } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";

const params = z.object({
  method: z.string().min(3).max(100).describe("Such as DOM.getDocument."),
  params: z.record(z.string(), z.unknown()).default({}),
  target_id: z.string().max(100).optional().describe("Page; default: the current one."),
  frame_id: z.string().max(100).optional().describe("Frame with a process of its own."),
  timeout: z.number().min(1).max(300).default(30).describe("Seconds."),
});

export default defineTool({
  name: "browser_cdp",
  toolset: "browser",
  description:
    "Send one command of the Chrome DevTools Protocol, for what no other browser tool does. Answers its raw result.",
  params,
  risk: "external",
  core: false,
  secrets: "refused",
  available: hasBrowser,
  declares: ({ method }) => ({ class: "tool-risk", text: `sends the raw command ${method} to the browser` }),
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ method }) => method,
  run: ({ method, params: given, target_id, frame_id, timeout }, ctx) =>
    browseResult(ctx, {
      do: "cdp",
      method,
      params: given,
      ...(target_id === undefined ? {} : { targetId: target_id }),
      ...(frame_id === undefined ? {} : { frameId: frame_id }),
      timeoutMs: timeout * 1000,
    }),
});
