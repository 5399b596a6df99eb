import { canonicalJson } from "../../base/json/canonical-json.js";
import { realTarget } from "../../safety/paths/paths.js";
import { toScreenLine } from "../../safety/redact/text.js";
import type { AnyTool, Permission, PermissionAnswer, ToolContext, ToolResult } from "../core/define.js";
import { effectsOf, hostsIn, pathsIn } from "../core/effects.js";
import type { CallLimit } from "../core/limit.js";

/** A call with its checked arguments. */
interface Checked {
  readonly tool: AnyTool;
  readonly params: unknown;
}

/** The call was interrupted while its approval was asked for. */
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
  const { reads } = effectsOf(tool, params, ctx);
  const declared = tool.declares?.(params);
  const permission = toolPermission(shown, pathsIn(reads), ctx, hostsIn(reads));
  const answer = await ctx.permit(
    declared === undefined ? permission : { ...permission, command: wholeCall(tool, params), declared },
  );
  if (answer.allowed) return undefined;
  const { message, status, rule } = answer;
  return {
    text: JSON.stringify({ error: message, status }),
    status,
    ...(rule === undefined ? {} : { ruleToAllow: rule }),
  };
}

/** Characters of a call that a person reads before it runs. */
const SHOWN_CALL = 10_000;

/** A person who is asked sees all of it. */
function wholeCall(tool: AnyTool, params: unknown): string {
  const text = `${tool.name} ${canonicalJson(params)}`;
  return text.length <= SHOWN_CALL
    ? text
    : `${text.slice(0, SHOWN_CALL)} … (${text.length - SHOWN_CALL} more characters)`;
}

/** What rules look at in a call that only reads. `reads` are absolute paths. */
export function toolPermission(
  { tool, preview }: { readonly tool: string; readonly preview: string },
  reads: readonly string[],
  ctx: ToolContext,
  hosts: readonly string[] = [],
): Permission {
  // A rule may name the place itself or the link that leads there.
  const paths = [...new Set(reads.flatMap((path) => [path, realTarget(path) ?? path]))];
  return {
    kind: "tool",
    tool,
    command: `${tool} ${toScreenLine(preview, 120)}`.trim(),
    cwd: ctx.state.cwd,
    ...(paths.length === 0 ? {} : { reads: paths }),
    ...(hosts.length === 0 ? {} : { hosts: [...new Set(hosts)] }),
  };
}
