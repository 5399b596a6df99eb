import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { toScreenLine } from "../../safety/redact/text.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { DELEGATION } from "../core/delegate-keys.js";
import type { ChildResult, ChildrenPort, ChildTask, DelegateCall } from "../core/delegate-port.js";
import { jsonResult } from "../run/execute.js";
import { seenOf } from "../run/ledger.js";
import { toFailureResult } from "../run/scope.js";

const ROLES = ["leaf", "orchestrator"] as const;

const params = z.object({
  goal: z.string().optional().describe("What the child is to do, complete in itself."),
  tasks: z
    .array(
      z.object({
        goal: z.string().min(1),
        context: z.string().optional(),
        toolsets: z.array(z.string()).optional(),
        role: z.enum(ROLES).optional(),
      }),
    )
    .optional()
    .describe("Several pieces of work for children that work at the same time, in place of goal."),
  context: z.string().optional().describe("Facts that the children need: paths, errors, decisions."),
  toolsets: z.array(z.string()).optional().describe("Toolsets of the children; default: yours."),
  role: z.enum(ROLES).default("leaf").describe("orchestrator: may send children of its own, where that is allowed."),
  background: z.boolean().default(false).describe("One goal: go on without waiting; the result comes as a message."),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "delegate_task",
  toolset: "delegation",
  description: describe(3, 50),
  params,
  risk: "exec",
  secrets: "refused",
  adapt: ({ config }) => ({
    description: describe(config.get(DELEGATION.concurrent), config.get(DELEGATION.maxIterations)),
  }),
  effects: () => ({ reads: [], writes: ["children", "world"] }),
  limits: { ms: 0, chars: 100_000 },
  preview: ({ goal, tasks }) =>
    tasks === undefined ? (goal ?? "") : `${tasks.length} tasks: ${tasks.map((task) => task.goal).join("; ")}`,
  run,
});

function describe(children: number, rounds: number): string {
  return (
    "Send a child agent to work on a task with a fresh context and get its summary. For work that can be described completely and would fill " +
    "your context: research, reviews, independent parts. The child knows nothing of this conversation. " +
    `At most ${children} at once, ${rounds} requests each.`
  );
}

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const { children } = ctx;
  if (children === undefined) return toFailureResult("this conversation cannot start children");
  const tasks = tasksOf(given);
  if (typeof tasks === "string") return toFailureResult(tasks);
  const call = callOf(ctx);
  try {
    const [only] = tasks;
    if (given.background && only !== undefined && children.dispatches) return await dispatched(children, only, call);
    return await waited(children, tasks, { ctx, call, note: given.background ? NOBODY_WAITS : undefined });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "E_INVALID") throw error;
    return toFailureResult(error.message);
  }
}

const NOBODY_WAITS = "nobody is there to hear of a background task, so it was waited for";

/** The tasks, or what is wrong with the call. */
function tasksOf({ goal, tasks, context, toolsets = [], role, background }: Params): readonly ChildTask[] | string {
  const shared = (own: string | undefined) => (own ?? context) || undefined;
  const single = goal !== undefined && goal.trim() !== "";
  if (single === (tasks !== undefined && tasks.length > 0)) return "give either goal or tasks";
  if (background && !single) return "background: true takes one goal; send several calls for several tasks";
  const given = single ? [{ goal, context, toolsets, role }] : (tasks ?? []);
  return given.map((task) => {
    const about = shared(task.context);
    return {
      goal: task.goal,
      toolsets: task.toolsets ?? toolsets,
      role: task.role ?? role,
      ...(about === undefined ? {} : { context: about }),
    };
  });
}

function callOf(ctx: ToolContext): DelegateCall {
  return { turn: ctx.turn, cwd: ctx.state.cwd, offered: ctx.offered ?? [], signal: ctx.signal, progress: ctx.progress };
}

async function dispatched(children: ChildrenPort, task: ChildTask, call: DelegateCall): Promise<ToolResult> {
  const id = await children.dispatch(task, call);
  const note =
    "The child works in the background. Its result comes as a message; do not wait for it and do not do its work.";
  return {
    text: jsonResult({
      status: "dispatched",
      delegation_id: id,
      goal: toScreenLine(task.goal, 500),
      mode: "background",
      note,
    }),
  };
}

interface Waiting {
  readonly ctx: ToolContext;
  readonly call: DelegateCall;
  readonly note: string | undefined;
}

async function waited(
  children: ChildrenPort,
  tasks: readonly ChildTask[],
  { ctx, call, note }: Waiting,
): Promise<ToolResult> {
  const { clock } = ctx.ports;
  const started = clock.mono();
  const results = await children.run(tasks, call);
  const told = results.map((result) => withStale(result, ctx));
  const interrupted = ctx.signal.aborted;
  return {
    text: jsonResult({
      results: told,
      total_duration_seconds: seconds(clock.mono() - started),
      ...(note === undefined ? {} : { note }),
    }),
    denied: results.flatMap((result) => result.denied ?? []),
    filesChanged: [...new Set(results.flatMap((result) => result.files_changed))],
    ...(interrupted ? { status: "interrupted" as const } : {}),
  };
}

/** What the parent has read and the child has changed since is not what the parent believes it to be. */
function withStale(result: ChildResult, ctx: ToolContext): ChildResult {
  const { reads } = seenOf(ctx);
  const stale = result.files_changed.filter((path) => reads.has(path));
  if (stale.length === 0) return result;
  const reminder = `[The child has changed files that you have read: ${stale.join(", ")}. Read them again before you use or change them.]`;
  return { ...result, summary: `${result.summary}\n\n${reminder}`, stale_paths: stale };
}

const seconds = (ms: number) => Math.round(ms / 10) / 100;
