import type { ToolCall } from "../../contracts/models/model.js";
import { absolutePath, realTarget, userHomeOf } from "../../safety/paths/paths.js";
import { resolveCagedPath } from "../core/caged.js";
import type { AnyTool, ToolContext } from "../core/define.js";
import { effectsOf, pathsIn } from "../core/effects.js";

/** Tools whose user is notified when a file that they name did not change (core part, 19.2). */
const CHANGERS: ReadonlySet<string> = new Set(["write_file", "patch"]);

/** Files that a call was to change, as real paths; none for other tools. */
export function listChangeTargets(tool: AnyTool, params: unknown, ctx: ToolContext): readonly string[] {
  if (!CHANGERS.has(tool.name)) return [];
  return pathsIn(effectsOf(tool, params, ctx).writes).map((path) => realPath(path, ctx));
}

const HEADER = /^\*\*\* (?:Update|Add|Delete) File:\s*(.+?)\s*$|^\*\*\* Move File:\s*(.+?)\s*->\s*(.+?)\s*$/gm;

/** The same for a call whose arguments are not what the tool takes, as far as they can be read. */
export function targetsNamedIn(call: ToolCall, ctx: ToolContext): readonly string[] {
  if (!CHANGERS.has(call.name)) return [];
  const given = fieldsOf(call.arguments);
  const headers = [...(given.patch ?? "").matchAll(HEADER)].flatMap(([, one, from, to]) => [one, from, to]);
  const named = [given.path, ...headers].filter((path): path is string => path !== undefined && path !== "");
  return [...new Set(named)].map((path) => realPath(path, ctx));
}

function fieldsOf(json: string): { readonly path?: string; readonly patch?: string } {
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value !== "object" || value === null) return {};
    const text = (name: string) => {
      const field: unknown = Reflect.get(value, name);
      return typeof field === "string" ? { [name]: field } : {};
    };
    return { ...text("path"), ...text("patch") };
  } catch {
    return {}; // no JSON: nothing is named
  }
}

function realPath(path: string, ctx: ToolContext): string {
  const absolute = resolveCagedPath(absolutePath(path, ctx.state.cwd, userHomeOf(ctx.env)), ctx);
  return realTarget(absolute) ?? absolute;
}
