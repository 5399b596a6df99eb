import { realTarget } from "../../safety/paths/paths.js";
import { toScreenLine } from "../../safety/redact/text.js";
import type { AnyTool, Permission, PermissionAnswer, ToolContext, ToolResult } from "../core/define.js";
import { effectsOf, pathsIn } from "../core/effects.js";
import type { CallLimit } from "../core/limit.js";

/** A call with its checked arguments. */
interface Checked {
  readonly tool: AnyTool;
  readonly params: unknown;
}

/** The call was interrupted while somebody was asked whether it may begin. */
export class NotStarted extends Error {
  override readonly name = "NotStarted";
}

async function permitted(ctx: ToolContext, permission: Permission): Promise<PermissionAnswer> {
  try {
    return await ctx.permit(permission);
  } catch (error) {
    throw ctx.signal.aborted ? new NotStarted("interrupted while permission was asked", { cause: error }) : error;
  }
}

/** The context of a call, in which waiting for a person takes no time of the call, and rules see the arguments. */
export function withPatience(ctx: ToolContext, { params }: Checked, limit: CallLimit): ToolContext {
  const held = async <T>(work: () => Promise<T>): Promise<T> => {
    const release = limit.hold();
    try {
      return await work();
    } finally {
      release();
    }
  };
  const { ask } = ctx;
  return {
    ...ctx,
    permit: (permission) => held(() => permitted(ctx, { args: params, ...permission })),
    ...(ask === undefined ? {} : { ask: (question, choices) => held(() => ask(question, choices)) }),
  };
}

/** The refusal of a call that does not ask for itself, where a rule denies its tool or what it reads. */
export async function ruledOut({ tool, params }: Checked, ctx: ToolContext): Promise<ToolResult | undefined> {
  if (tool.asks === true) return undefined;
  const shown = { tool: tool.name, preview: tool.preview(params) };
  const answer = await ctx.permit(toolPermission(shown, pathsIn(effectsOf(tool, params, ctx).reads), ctx));
  if (answer.allowed) return undefined;
  const { message, status, rule } = answer;
  return {
    text: JSON.stringify({ error: message, status }),
    status,
    ...(rule === undefined ? {} : { ruleToAllow: rule }),
  };
}

/** What rules look at in a call that only reads. `reads` are absolute paths. */
export function toolPermission(
  { tool, preview }: { readonly tool: string; readonly preview: string },
  reads: readonly string[],
  ctx: ToolContext,
): Permission {
  // A rule may name the place itself or the link that leads there.
  const paths = [...new Set(reads.flatMap((path) => [path, realTarget(path) ?? path]))];
  return {
    kind: "tool",
    tool,
    command: `${tool} ${toScreenLine(preview, 120)}`.trim(),
    cwd: ctx.state.cwd,
    ...(paths.length === 0 ? {} : { reads: paths }),
  };
}
