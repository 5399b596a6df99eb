import * as z from "zod";
import { AppError } from "../../base/errors.js";
import type { BoardSlug, SessionId, TaskId } from "../../base/units.js";
import type { BoardApi, ListedTask, NewTask } from "../../contracts/board/api.js";
import { type Actor, STATUSES } from "../../contracts/board/board.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { BoardPort, BoardToolMethod } from "../../tools/core/board-port.js";
import { truncateText } from "../core/quote.js";

/** Who calls a board tool, and for which conversation. */
export interface ToolCaller {
  readonly actor: Actor;
  /** Board of the worker, or the one that the session is pinned to. */
  readonly board: BoardSlug;
  /** Current task of a worker. */
  readonly task?: TaskId | undefined;
  readonly session?: SessionId | undefined;
  /** Chat that the conversation is held in: it is notified of the tasks that are made there. */
  readonly origin?: ChatOrigin | undefined;
  /** Default tenant of new tasks. */
  readonly tenant?: string | undefined;
  /** Names of the board tools that this conversation has; one that is not among them is refused. */
  readonly tools: readonly string[];
}

type Answer = Readonly<Record<string, unknown>>;
type Api = Pick<
  BoardApi,
  | "resolve"
  | "find"
  | "show"
  | "context"
  | "list"
  | "complete"
  | "block"
  | "heartbeat"
  | "comment"
  | "create"
  | "unblock"
  | "link"
>;

/** The board as the tools of one conversation use it. */
export function boardPort(api: Api, caller: ToolCaller): BoardPort {
  return { task: caller.task, call: (method, params) => callBoardTool(api, caller, method, params) };
}

/** Carry out one board tool. @throws AppError; the tool makes it an answer for the model */
export async function callBoardTool(
  api: Api,
  caller: ToolCaller,
  method: BoardToolMethod,
  params: Answer,
): Promise<Answer> {
  if (!caller.tools.includes(`kanban_${method}`)) {
    throw new AppError("E_NOT_OWNER", `kanban_${method} is not available here`, {
      hint: "comment on the task instead",
    });
  }
  const board = await boardOf(api, caller, params);
  return METHODS[method]({ api, caller, board }, params);
}

interface Call {
  readonly api: Api;
  readonly caller: ToolCaller;
  readonly board: BoardSlug;
}

async function boardOf(api: Api, caller: ToolCaller, params: Answer): Promise<BoardSlug> {
  const given = params["board"];
  if (typeof given !== "string" || given.trim() === "") return caller.board;
  if (caller.actor.kind === "worker") {
    if (given.trim().toLowerCase() === caller.board) return caller.board;
    throw new AppError("E_NOT_OWNER", `a worker of board '${caller.board}' may not work on board '${given}'`);
  }
  return (await api.resolve({ flag: given, env: {}, writes: true })).board;
}

const METHODS: Record<BoardToolMethod, (call: Call, params: Answer) => Promise<Answer>> = {
  show,
  list,
  complete,
  block,
  heartbeat,
  comment,
  create,
  unblock,
  link,
};

function parsed<P extends z.ZodType>(schema: P, params: Answer): z.output<P> {
  const result = schema.safeParse(params);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  throw new AppError("E_INVALID_PARAMS", `${issue?.path.join(".") || "parameters"}: ${issue?.message ?? "malformed"}`);
}

const idParams = z.object({ task_id: z.string().optional() });

/** The task that is named, or the worker's own. */
function idOf(call: Call, given: string | undefined): TaskId {
  const id = given?.trim() || call.caller.task;
  if (id === undefined) throw new AppError("E_INVALID_PARAMS", "missing task_id");
  return id as TaskId; // looked up by the verb; an unknown one is refused there
}

/** Complete, block and heartbeat are for the current task only. */
function ownId(call: Call, given: string | undefined): TaskId {
  const id = idOf(call, given);
  if (call.caller.task !== undefined && id !== call.caller.task) {
    throw new AppError("E_NOT_OWNER", `your task is ${call.caller.task}; comment on ${id} instead`, {
      task: call.caller.task,
    });
  }
  return id;
}

async function show(call: Call, params: Answer): Promise<Answer> {
  const id = idOf(call, parsed(idParams, params).task_id);
  const { task, parents, children, comments, events, runs, attachments } = await call.api.show(call.board, id);
  const worker_context = await call.api.context(call.board, id);
  const records = { task, parents, children, comments, events: events.slice(-50), runs, attachments };
  return { ...shortened(records), worker_context };
}

/** Records beyond this are cut: `worker_context` says what they say, within bounds, and must not be pushed out of the answer by them. */
const RECORD_CHARS = 40_000;
const TEXT_CHARS = 500;
const ROWS = 30;

function shortened(records: Answer): Answer {
  if (JSON.stringify(records).length <= RECORD_CHARS) return records;
  const rows = Object.entries(records).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.slice(-ROWS) : value,
  ]);
  const text = JSON.stringify(Object.fromEntries(rows), (_key, value: unknown) =>
    typeof value === "string" ? truncateText(value, TEXT_CHARS) : value,
  );
  return JSON.parse(text) as Answer; // an object before and after
}

const listParams = z.object({
  assignee: z.string().optional(),
  status: z.union([z.enum(STATUSES), z.array(z.enum(STATUSES))]).optional(),
  tenant: z.string().optional(),
  include_archived: z.boolean().optional(),
  limit: z.number().int().min(1).max(200).default(50),
});

async function list(call: Call, params: Answer): Promise<Answer> {
  const { status, limit, include_archived: archived, assignee, tenant } = parsed(listParams, params);
  const statuses = status === undefined ? [] : [status].flat();
  const found = await call.api.list(call.board, { status: statuses, archived, assignee, tenant, limit: limit + 1 });
  const truncated = found.length > limit;
  const tasks = found.slice(0, limit).map(compact);
  return { tasks, count: tasks.length, limit, truncated, next_limit: truncated ? Math.min(200, limit * 2) : null };
}

function compact({ task, waits_for }: ListedTask): Answer {
  const { id, title, status, assignee, priority, tenant, created_at, parents, children } = task;
  const links = { parents, children, parent_count: parents.length, child_count: children.length };
  return { id, title, status, assignee, priority, tenant, created_at, waits_for, ...links };
}

const completeParams = z.object({
  task_id: z.string().optional(),
  summary: z.string().optional(),
  result: z.string().optional(),
  metadata: z.record(z.string(), z.unknown()).optional(),
  outcome: z.enum(["accepted", "rejected"]).optional(),
  artifacts: z.array(z.string()).optional(),
  created_cards: z.array(z.string()).optional(),
});

async function complete(call: Call, params: Answer): Promise<Answer> {
  const { task_id, outcome, ...given } = parsed(completeParams, params);
  const handoff = { ...given, verdict: outcome, session_id: call.caller.session };
  const done = await call.api.complete(call.board, ownId(call, task_id), handoff, call.caller.actor);
  return { ok: true, task_id: done.task.id, run_id: done.run_id };
}

const blockParams = z.object({
  task_id: z.string().optional(),
  reason: z.string(),
  until: z.number().int().optional(),
});

async function block(call: Call, params: Answer): Promise<Answer> {
  const { task_id, reason, until } = parsed(blockParams, params);
  const done = await call.api.block(call.board, ownId(call, task_id), { reason, until }, call.caller.actor);
  return { ok: true, task_id: done.task.id, run_id: done.run_id, status: done.task.status };
}

const heartbeatParams = z.object({ task_id: z.string().optional(), note: z.string().optional() });

async function heartbeat(call: Call, params: Answer): Promise<Answer> {
  const { task_id, note } = parsed(heartbeatParams, params);
  const beat = await call.api.heartbeat(call.board, ownId(call, task_id), note, call.caller.actor);
  return { ok: true, task_id: beat.task.id, claim_expires: beat.claim_expires };
}

const commentParams = z.object({ task_id: z.string().optional(), text: z.string() });

async function comment(call: Call, params: Answer): Promise<Answer> {
  const { task_id, text } = parsed(commentParams, params);
  const made = await call.api.comment(call.board, idOf(call, task_id), text, call.caller.actor);
  return { ok: true, task_id: made.task.id, comment_id: made.comment.id };
}

const createParams = z.object({
  title: z.string(),
  assignee: z.string().optional(),
  body: z.string().optional(),
  parents: z.array(z.string()).optional(),
  skills: z.array(z.string()).optional(),
  tenant: z.string().optional(),
  priority: z.number().int().optional(),
  workspace_kind: z.enum(["scratch", "dir", "worktree"]).optional(),
  workspace_path: z.string().optional(),
  triage: z.boolean().optional(),
  auto_decompose: z.boolean().optional(),
  external: z.boolean().optional(),
  idempotency_key: z.string().optional(),
  max_runtime_seconds: z.number().int().optional(),
  max_retries: z.number().int().optional(),
  model: z.string().optional(),
  initial_status: z.enum(["normal", "blocked"]).optional(),
  scheduled_at: z.number().int().optional(),
  goal_mode: z.boolean().optional(),
  goal_max_turns: z.number().int().optional(),
});

async function create(call: Call, params: Answer): Promise<Answer> {
  const { model, ...given } = parsed(createParams, params);
  const task: NewTask = {
    ...(await sharedWorkspace(call, given)),
    ...given,
    tenant: given.tenant ?? call.caller.tenant,
    model_override: model,
    session_id: call.caller.session,
    origin: call.caller.origin,
  };
  const made = await call.api.create(call.board, task, call.caller.actor);
  const warning = made.warnings.join("; ");
  return {
    ok: true,
    task_id: made.task.id,
    status: made.task.status,
    created: made.created,
    ...(warning === "" ? {} : { warning }),
  };
}

/** A worker's own directory or repository is shared with the tasks it makes; a scratch directory is not. */
async function sharedWorkspace(call: Call, given: { workspace_kind?: string | undefined }): Promise<Partial<NewTask>> {
  if (call.caller.task === undefined || given.workspace_kind !== undefined) return {};
  const { task } = await call.api.show(call.board, call.caller.task);
  if (task.workspace_kind === "dir" && task.workspace_path !== null)
    return { workspace_kind: "dir", workspace_path: task.workspace_path };
  if (task.workspace_kind === "worktree" && task.repo_path !== null)
    return { workspace_kind: "worktree", workspace_path: task.repo_path };
  return {};
}

const unblockParams = z.object({ task_id: z.string(), reason: z.string().optional() });

async function unblock(call: Call, params: Answer): Promise<Answer> {
  const { task_id, reason } = parsed(unblockParams, params);
  const { task } = await call.api.unblock(
    call.board,
    idOf(call, task_id),
    { reason, comment: true },
    call.caller.actor,
  );
  return { ok: true, task_id: task.id, status: task.status };
}

const linkParams = z.object({ parent_id: z.string(), child_id: z.string() });

async function link(call: Call, params: Answer): Promise<Answer> {
  const { parent_id, child_id } = parsed(linkParams, params);
  const done = await call.api.link(call.board, parent_id as TaskId, child_id as TaskId, call.caller.actor); // looked up by the verb
  return { ok: true, parent_id, child_id, child_status: done.child.status };
}
