import * as z from "zod";
import type { BrowserStep } from "../../contracts/browser/browser.js";
import { guardRead } from "../../safety/paths/paths.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { toPathEffect } from "../core/effects.js";
import { pathOf, scopeOf, toFailureResult } from "../run/scope.js";
import { act } from "./browse.js";
import { BROWSER_LIMITS, browserEffects, hasBrowser } from "./place.js";
import { type GivenStep, STEPS, stepOf } from "./steps.js";

const params = z.object({ steps: STEPS });

type Params = z.output<typeof params>;

export default defineTool({
  name: "browser_do",
  toolset: "browser",
  description:
    "Do up to 20 steps in the page: click, type, press, select, scroll, wait_for, upload, hover, drag. Stops at the first that fails and says which. One call costs less than many.",
  params,
  risk: "external",
  core: false,
  asks: true,
  secrets: "refused",
  available: hasBrowser,
  effects: ({ steps }, place) => ({
    reads: [...browserEffects().reads, ...filesOf(steps).map((file) => toPathEffect("path", file, place))],
    writes: browserEffects().writes,
  }),
  limits: BROWSER_LIMITS,
  preview: ({ steps }) => steps.map(previewOf).join(", ").slice(0, 120),
  run,
});

const filesOf = (steps: readonly GivenStep[]): readonly string[] => steps.flatMap(({ upload }) => upload?.files ?? []);

function previewOf(step: GivenStep): string {
  const [name = "", value] = Object.entries(step).find(([, one]) => one !== undefined) ?? [];
  const ref: unknown = typeof value === "object" ? Reflect.get(value, "ref") : undefined;
  return typeof ref === "string" ? `${name} ${ref}` : name;
}

async function run({ steps: given }: Params, ctx: ToolContext): Promise<ToolResult> {
  const steps: BrowserStep[] = [];
  const reads: string[] = [];
  for (const [index, one] of given.entries()) {
    const found = stepOf(one, index + 1);
    if ("why" in found) return toFailureResult(found.why, { success: false, done: 0 });
    const { step } = found;
    if (!("upload" in step)) {
      steps.push(step);
      continue;
    }
    const files = step.upload.files.map((file) => guardRead(pathOf(file, ctx), scopeOf(ctx)));
    const refused = files.find((file) => !file.ok);
    if (refused?.ok === false) return toFailureResult(`step ${index + 1}: ${refused.why}`, { success: false, done: 0 });
    const paths = files.map(({ path }) => path);
    reads.push(...paths);
    steps.push({ upload: { ...step.upload, files: paths } });
  }
  const acting = { tool: "browser_do", preview: given.map(previewOf).join(", "), reads };
  return act(ctx, acting, { do: "steps", steps });
}
