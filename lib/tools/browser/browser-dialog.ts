import * as z from "zod";
import { defineTool } from "../core/define.js";
import { act } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";

const params = z.object({
  action: z.enum(["accept", "dismiss"]),
  prompt_text: z.string().max(10_000).optional().describe("Answer to a prompt."),
  dialog_id: z.string().max(40).optional().describe("Default: the oldest that is open."),
});

export default defineTool({
  name: "browser_dialog",
  toolset: "browser",
  description: "Answer a dialog of the page (alert, confirm, prompt). The page stands still until then.",
  params,
  risk: "external",
  core: false,
  asks: true,
  secrets: "refused",
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ action }) => action,
  run: ({ action, prompt_text, dialog_id }, ctx) =>
    act(
      ctx,
      { tool: "browser_dialog", preview: action },
      {
        do: "dialog",
        action,
        ...(prompt_text === undefined ? {} : { promptText: prompt_text }),
        ...(dialog_id === undefined ? {} : { dialogId: dialog_id }),
      },
    ),
});
