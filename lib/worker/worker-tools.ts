import type { SessionId } from "../base/units.js";
import type { ToolContext, ToolResult } from "../tools/core/define.js";
import type { ToolEntry } from "../tools/core/entry.js";
import { entryOf, type JsonArguments, jsonTool } from "../tools/core/json-tool.js";
import type { OwnerTool, OwnerToolLook, OwnerTools } from "../tools/core/owner-tools.js";
import type { ToolSource } from "../tools/core/tool-source.js";
import { toRefusalResult } from "../tools/run/scope.js";

type Call = (method: string, params: object) => Promise<unknown>;

/** Where the tools of an owner are used. */
export interface OwnerToolsPlace {
  /** One call to the owner; it waits for one that is there. */
  readonly call: Call;
  /** The conversation of the run as it is now. */
  session(): SessionId;
  /** Something happened in a call. */
  activity(): void;
}

/** Characters of the line that announces a call. */
const PREVIEW = 120;

/**
 * Tools of servers and plugins, which run in the owner. Their calls are judged here, by the rules of this worker's profile, and are then made there.
 * What comes and goes at the owner is known here one turn later.
 */
export function ownerTools(place: OwnerToolsPlace): ToolSource {
  let known: readonly ToolEntry[] = [];
  let toolsets: readonly string[] = [];
  const load = async (wait: boolean) => {
    const answer = (await place.call("worker.tools", { session: place.session(), wait })) as OwnerTools; // the answer of `workerToolMethods`
    toolsets = answer.toolsets;
    known = answer.tools.flatMap((tool) =>
      tool.origin === undefined ? [] : [entryOf(remoteTool(tool, place), tool.origin)],
    );
  };
  return {
    entries: () => {
      const now = known;
      load(false).catch(() => undefined); // ok to lose: the tools stay as they were; a lost claim has ended the run in `call`
      return now;
    },
    toolsets: () => toolsets,
    ready: () => load(true),
  };
}

function remoteTool(tool: OwnerTool, place: OwnerToolsPlace) {
  const { name, toolset, description, risk, schema, core, limits, effects } = tool;
  return jsonTool({
    name,
    toolset,
    description,
    risk,
    schema,
    core,
    limits,
    effects: () => effects,
    asks: true,
    preview: (args) => JSON.stringify(args).slice(0, PREVIEW),
    run: (args, ctx) => runThere(name, args, ctx, place),
  });
}

async function runThere(
  name: string,
  args: JsonArguments,
  ctx: ToolContext,
  { call, session, activity }: OwnerToolsPlace,
): Promise<ToolResult> {
  const of = session();
  const look = (await call("worker.tool_look", { session: of, name, args })) as OwnerToolLook; // the answer of `workerToolMethods`
  const answer = await ctx.permit({
    kind: "tool",
    tool: name,
    command: `${name} ${JSON.stringify(args)}`,
    cwd: ctx.state.cwd,
    args,
    ...(look.declared === undefined ? {} : { declared: look.declared }),
  });
  if (!answer.allowed) return toRefusalResult(answer);
  ctx.signal.throwIfAborted();
  const about = { session: of, call: ctx.callId };
  const cancel = () => {
    call("worker.tool_cancel", about).catch(() => undefined); // ok to lose: it ends with its own time limit
  };
  ctx.signal.addEventListener("abort", cancel, { once: true });
  let ended = false;
  const follow = async () => {
    while (!ended) {
      const lines = (await call("worker.tool_progress", about)) as readonly string[]; // the answer of `workerToolMethods`
      for (const line of lines) ctx.progress(line);
      if (lines.length > 0) activity();
    }
  };
  follow().catch(() => undefined); // ok to lose: progress is for people to see
  try {
    return (await call("worker.tool_call", { ...about, name, args, cwd: ctx.state.cwd })) as ToolResult; // the answer of `workerToolMethods`
  } finally {
    ended = true;
    ctx.signal.removeEventListener("abort", cancel);
  }
}
