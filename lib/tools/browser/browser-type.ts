import * as z from "zod";
import { placeholders } from "../../safety/redact/redact.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { withTrueValues } from "../core/secrets.js";
import { toFailureResult } from "../run/scope.js";
import { act } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";
import { REF } from "./steps.js";

const params = z.object({
  ref: REF,
  text: z.string().max(100_000).describe("Text in place of what the field holds."),
});

export default defineTool({
  name: "browser_type",
  toolset: "browser",
  description:
    "Type into a field by its ref, in place of what it holds. Placeholders of secrets are typed as their values.",
  params,
  risk: "external",
  core: false,
  asks: true,
  secrets: "asked",
  available: hasBrowser,
  effects: browserEffects,
  limits: BROWSER_LIMITS,
  preview: ({ ref, text }) => `${ref} ${text}`.slice(0, 120),
  run,
});

/** A person is shown the placeholder; the page gets the value, and never shows it again. */
async function run({ ref, text }: z.output<typeof params>, ctx: ToolContext): Promise<ToolResult> {
  const acting = { tool: "browser_type", preview: `${ref} ${text}` };
  if (placeholders(text).length === 0) return act(ctx, acting, { do: "step", step: { type: { ref, text } } });
  const value = withTrueValues(text, ctx);
  if (!value.ok) return toFailureResult(value.why, { success: false });
  const secret = value.text !== text;
  const declared = { class: "tool-risk", text: "types the value of a secret into a web page" } as const;
  const step = { type: { ref, text: value.text, ...(secret ? { secret: true as const } : {}) } };
  return act(ctx, { ...acting, ...(secret ? { declared } : {}) }, { do: "step", step });
}
