import * as z from "zod";
import { DESKTOP_ACTIONS, DESKTOP_MODIFIERS, FREE_ACTIONS, type Point } from "../../contracts/desktop/actions.js";
import { chooseDesktopBackend } from "../../contracts/desktop/backend.js";
import type { DesktopAction, DesktopAnswer, DesktopApi, DesktopTarget } from "../../contracts/desktop/desktop.js";
import { readKeys } from "../../safety/desktop/keys.js";
import { defineTool, type PermissionAnswer, type ToolContext, type ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";
import { wrongFields } from "./fields.js";
import { createTypedLine, type TypedLine } from "./typed-line.js";

const pixels = z
  .array(z.number())
  .length(2)
  .transform(([x = 0, y = 0]): Point => [x, y])
  .optional();
const element = z.int().min(1).optional();

const params = z.object({
  action: z.enum(DESKTOP_ACTIONS),
  mode: z
    .enum(["som", "vision", "ax"])
    .optional()
    .describe("capture: som numbers the elements (default); ax: no picture."),
  app: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe("capture, focus_app: part of an app or window name. Default: the screen."),
  max_elements: z.int().min(1).max(1_000).optional().describe("capture: default 100."),
  element: element.describe("Number in the last capture: clicks, scroll, type."),
  coordinate: pixels.describe("[x, y] in pixels of the last capture: clicks, scroll."),
  from_element: element.describe("drag"),
  to_element: element,
  from_coordinate: pixels,
  to_coordinate: pixels,
  button: z.enum(["left", "right", "middle"]).optional().describe("click"),
  modifiers: z.array(z.enum(DESKTOP_MODIFIERS)).max(6).optional().describe("Held during clicks and drag."),
  direction: z.enum(["up", "down", "left", "right"]).optional().describe("scroll"),
  amount: z.number().optional().describe("scroll: 1 to 50, default 3."),
  text: z.string().min(1).max(20_000).optional().describe("type"),
  keys: z.string().min(1).max(100).optional().describe("key: one combination, as ctrl+shift+t."),
  seconds: z.number().min(0).max(30).optional().describe("wait"),
  raise_window: z.boolean().optional().describe("focus_app"),
  capture_after: z.boolean().optional().describe("Actions: show the window afterwards."),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "computer_use",
  toolset: "computer_use",
  description:
    "See and control the desktop. capture first: it shows the screen or a window with numbered elements; then act on element or coordinate of that capture. Prefer other tools where they do the job.",
  params,
  risk: "external",
  core: false,
  asks: true,
  secrets: "refused",
  available: ({ env }) => {
    const chosen = chooseDesktopBackend(env);
    return chosen.ok ? true : chosen.why;
  },
  effects: () => ({ reads: [], writes: ["screen"] }),
  limits: { ms: 0, chars: 60_000 },
  preview: previewOf,
  run,
});

function previewOf({ action, app, text, keys, element: index, coordinate }: Params): string {
  const what = app ?? keys ?? text ?? (index === undefined ? coordinate?.join(", ") : `#${index}`);
  return [...`${action} ${what ?? ""}`.trim()].slice(0, 120).join("");
}

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const { desktop } = ctx.ports;
  const wrong = wrongFields(given) ?? wrongText(given, ctx);
  if (wrong !== undefined) return toFailureResult(wrong, { action: given.action });
  if (desktop === undefined) return toFailureResult("the desktop cannot be reached from here");
  const { session, env, signal } = ctx;
  const line = ctx.state.entry("computer_use", () => createTypedLine(() => desktop.release(session)));
  const place = { session, env };
  const aim = await desktop.aim(place, given, signal);
  if (!aim.ok) return toFailureResult(aim.error, { action: given.action });
  const typed = line.with(given);
  if (typed !== undefined && ctx.redact(typed) !== typed) return toFailureResult(SECRET, { action: given.action });
  const refused = await refusal(given, aim.target, ctx, line);
  if (refused !== undefined) return refused;
  line.add(given);
  return toResult(await act(desktop, given, ctx), given, ctx);
}

const act = (
  desktop: DesktopApi,
  given: DesktopAction,
  { session, env, signal }: ToolContext,
): Promise<DesktopAnswer> => desktop.act({ session, env }, given, signal);

const SECRET = "the text holds a secret, which is never typed; ask the user to type it";

function wrongText({ text, keys }: Params, ctx: ToolContext): string | undefined {
  if (text !== undefined && ctx.redact(text) !== text) return SECRET;
  return keys !== undefined && readKeys(keys).length === 0 ? `'${keys}' names no key` : undefined;
}

/** Ask for the action, and for the picture that follows it; undefined: both are allowed. */
async function refusal(
  given: Params,
  target: DesktopTarget,
  ctx: ToolContext,
  line: TypedLine,
): Promise<ToolResult | undefined> {
  const asked =
    FREE_ACTIONS.has(given.action) || given.capture_after !== true ? [given] : [given, { action: "capture" as const }];
  for (const action of asked) {
    const answer = await permission(action, target, ctx, line);
    if (!answer.allowed) return toDenied(given, answer);
  }
  return undefined;
}

function permission(
  action: DesktopAction,
  target: DesktopTarget,
  ctx: ToolContext,
  line: TypedLine,
): Promise<PermissionAnswer> {
  const { apps, window, summary } = target;
  return ctx.permit({
    kind: "desktop",
    tool: "computer_use",
    command: summary,
    cwd: ctx.state.cwd,
    desktop: { action: action.action, apps, window, keys: action.keys, text: line.with(action) },
  });
}

function toDenied({ action }: Params, answer: Extract<PermissionAnswer, { allowed: false }>): ToolResult {
  const { status, message, rule, byUser } = answer;
  const told = byUser === true ? { error: "denied by user", action, message } : { error: message, action };
  return { text: jsonResult({ ...told, status }), status, ...(rule === undefined ? {} : { ruleToAllow: rule }) };
}

function toResult(answer: DesktopAnswer, { action }: Params, ctx: ToolContext): ToolResult {
  // What a program shows may hold instructions of others.
  if (action === "capture" || answer.picture !== undefined) ctx.readUntrusted?.();
  const { ok, text, value, picture } = answer;
  return {
    text: text ?? jsonResult(value),
    ...(ok ? {} : { status: "error" as const }),
    ...(picture === undefined ? {} : { images: [{ path: picture, name: "screenshot" }] }),
  };
}
