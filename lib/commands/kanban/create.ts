import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { BoardSlug } from "../../base/units.js";
import type { Created } from "../../contracts/board/api.js";
import type { OwnerStatus } from "../../contracts/owner/owner.js";
import { type CommandContext, defineCommand } from "../define.js";
import {
  actorFor,
  boardFor,
  makerOf,
  optionalDuration,
  optionalTime,
  refuseEmpty,
  textFrom,
} from "../params/board-target.js";
import { TOLD_HERE } from "./params/notify-place.js";
import { checkBranch, parseWorkspace } from "./params/workspace-flag.js";
import { fileAt } from "./render/attachments.js";

export default defineCommand({
  path: "kanban create",
  summary: "Create a task.",
  topic: "kanban",
  params: z.object({
    title: z.string().describe("title, at most 300 characters"),
    body: z.string().optional().describe("description in Markdown; - reads standard input"),
    body_file: z.string().optional().describe("file with the description; - reads standard input"),
    assignee: z.string().optional().describe("profile or external name"),
    external: z.boolean().default(false).describe("worked externally; never started here"),
    parent: z.array(z.string()).default([]).describe("task that must be done first; repeatable"),
    workspace: z.string().optional().describe("scratch, dir[:<path>], worktree[:<repository>]"),
    branch: z.string().optional().describe("branch of a worktree"),
    base: z.string().optional().describe("start commit of a worktree"),
    tenant: z.string().optional().describe("namespace"),
    priority: z.number().int().default(0).describe("priority, highest first"),
    triage: z.boolean().default(false).describe("create it in triage"),
    no_auto: z.boolean().default(false).describe("exclude it from automatic decomposition"),
    idempotency_key: z
      .string()
      .optional()
      .describe("idempotency key: return the unarchived task with this key, if any"),
    max_runtime: z.string().optional().describe("maximum duration: seconds or a duration (90, 15m, 1.5h)"),
    skill: z.array(z.string()).default([]).describe("skill for the worker; repeatable"),
    max_retries: z.number().int().min(1).optional().describe("failures before the task is blocked"),
    model: z.string().optional().describe("model of the worker"),
    created_by: z.string().optional().describe("creator (default user)"),
    goal: z.boolean().default(false).describe("run turns until a judge finds the goal met"),
    goal_max_turns: z.number().int().min(1).optional().describe("maximum turns of a goal task"),
    initial_status: z
      .enum(["normal", "blocked"])
      .default("normal")
      .describe("initial status; blocked waits for a person"),
    attach: z.array(z.string()).default([]).describe("file to attach a copy of; repeatable"),
    at: z.string().optional().describe("earliest start: ISO time, +2h, 09:00"),
  }),
  positionals: ["title"],
  surfaces: ["cli", "slash", "rpc"],
  access: "write",
  repeats: true,
  where: "root",
  stdin: true,
  run: async (params, ctx) => {
    if (params.triage && (params.initial_status === "blocked" || params.at !== undefined)) {
      throw new AppError("E_USAGE", "--triage excludes --initial-status blocked and --at");
    }
    refuseEmpty("parent", params.parent);
    refuseEmpty("skill", params.skill);
    refuseEmpty("attach", params.attach);
    const place = parseWorkspace(params.workspace);
    checkBranch(params, place.workspace_kind);
    const max_runtime_seconds = optionalDuration(params.max_runtime);
    const scheduled_at = optionalTime(ctx, params.at);
    const { board, warnings } = await boardFor(ctx, "write");
    const by = await actorFor(ctx, { author: params.created_by });
    const body = await textFrom(ctx, { text: params.body, file: params.body_file });
    const parents = await Promise.all(params.parent.map((id) => parentId(ctx, board, id)));
    const made = await ctx.board.create(
      board,
      {
        ...place,
        title: params.title,
        body,
        assignee: params.assignee,
        external: params.external,
        parents,
        branch_name: params.branch,
        base_name: params.base,
        tenant: params.tenant,
        priority: params.priority,
        triage: params.triage,
        auto_decompose: !params.no_auto,
        idempotency_key: params.idempotency_key,
        max_runtime_seconds,
        skills: params.skill,
        max_retries: params.max_retries,
        model_override: params.model,
        goal_mode: params.goal,
        goal_max_turns: params.goal_max_turns,
        initial_status: params.initial_status,
        scheduled_at,
        attach: params.attach.map((file) => fileAt(ctx, file)),
        created_by: params.created_by ?? makerOf(ctx),
        origin: ctx.origin,
        cwd: ctx.cwd,
      },
      by,
    );
    return answer(made, [...warnings, ...made.warnings, ...(await idleWarnings(ctx, board, made))], ctx);
  },
});

/** A prefix becomes an id; what is unknown is left to `create`, which names all unknown parents at once. */
async function parentId(ctx: CommandContext, board: BoardSlug, given: string): Promise<string> {
  try {
    return await ctx.board.find(board, given);
  } catch (error) {
    if (error instanceof AppError && error.code === "E_NOT_FOUND") return given;
    throw error;
  }
}

function answer(made: Created, warnings: readonly string[], { json, origin }: CommandContext) {
  const { task, created } = made;
  const who = `(${task.status}, assignee=${task.assignee ?? "-"})`;
  const told = origin === undefined ? "" : `\n${TOLD_HERE}`;
  const text = `${created ? "Created" : "Already exists:"} ${task.id}  ${who}${told}`;
  const subscribed = origin === undefined ? {} : { subscribed: `${origin.platform}:${origin.chat_id}` };
  return { text, data: Object.assign(task, { created, warnings }, subscribed), warnings: json ? [] : warnings };
}

/** A ready task that nothing will start is said. */
async function idleWarnings(
  ctx: CommandContext,
  board: BoardSlug,
  { task, created }: Created,
): Promise<readonly string[]> {
  if (!created || task.status !== "ready" || task.external) return [];
  const status = await ctx.owner.status();
  const why = status.dispatching ? await pausedText(ctx, board) : idleText(status);
  return why === undefined ? [] : [`${task.id} is ready but nothing will start it: ${why}`];
}

function idleText({ kind, only_listens }: Pick<OwnerStatus, "kind" | "only_listens">): string {
  if (only_listens) return "the owner only serves a listener (agent kanban dispatch runs one pass)";
  return kind === "command"
    ? "no long-lived owner is running (agent --headless starts one)"
    : "dispatching is disabled";
}

async function pausedText(ctx: CommandContext, board: BoardSlug): Promise<string | undefined> {
  const { paused, reason } = await ctx.board.banner(board);
  if (!paused) return undefined;
  return `the board is paused${reason === null ? "" : ` (${reason})`}; agent kanban boards resume resumes it`;
}
