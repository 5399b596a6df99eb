import { AppError } from "../base/errors.js";
import type { BoardSlug, SessionId, TaskId } from "../base/units.js";
import type { Actor } from "../proto/board.js";
import type { BlockParams, BoardApi, CompleteParams, ListFilter, NewTask } from "../proto/board-api.js";
import type { BoardToolMethod } from "../tools/board-port.js";

/** Who calls a board tool: a worker with its claim, or a chat session as its profile. */
export interface ToolCaller {
  readonly actor: Actor;
  readonly board: BoardSlug;
  /** Task of the worker; undefined in a chat session. */
  readonly task: TaskId | undefined;
  readonly session: SessionId | undefined;
  readonly tenant?: string | undefined;
  readonly cwd?: string | undefined;
}

export type ToolParams = Readonly<Record<string, unknown>>;
export type ToolAnswer = Readonly<Record<string, unknown>>;

const LIST_DEFAULT = 50;
const LIST_MAX = 200;
const EVENTS_SHOWN = 50;
/**
 * Carry out a board tool with the parameters of the tool itself, and answer as board part 17.2 says.
 *
 * @throws AppError of the verb; the tool shows it as its result
 */
export async function callBoardTool(api: BoardApi, caller: ToolCaller, method: BoardToolMethod, params: ToolParams): Promise<ToolAnswer> {
  const board = await boardOf(api, caller, method, params);
  return HANDLERS[method]({ api, caller, board, params });
}

interface Call {
  readonly api: BoardApi;
  readonly caller: ToolCaller;
  readonly board: BoardSlug;
  readonly params: ToolParams;
}

const HANDLERS: Readonly<Record<BoardToolMethod, (call: Call) => Promise<ToolAnswer>>> = {
  show,
  list,
  complete: async (call) => {
    const { task, run_id } = await call.api.complete(call.board, taskOf(call), completion(call), call.caller.actor);
    return { ok: true, task_id: task.id, run_id };
  },
  block: async (call) => {
    const wanted: BlockParams = { reason: text(call.params, "reason"), until: number(call.params, "until") };
    const { task, run_id } = await call.api.block(call.board, taskOf(call), wanted, call.caller.actor);
    return { ok: true, task_id: task.id, run_id, status: task.status };
  },
  heartbeat: async (call) => {
    const { task, claim_expires } = await call.api.heartbeat(call.board, taskOf(call), text(call.params, "note"), call.caller.actor);
    return { ok: true, task_id: task.id, claim_expires };
  },
  comment: async (call) => {
    const words = text(call.params, "text") ?? text(call.params, "body") ?? "";
    const { task, comment } = await call.api.comment(call.board, taskOf(call), words, call.caller.actor);
    return { ok: true, task_id: task.id, comment_id: comment.id };
  },
  create,
  unblock: async (call) => {
    const { task } = await call.api.unblock(call.board, taskOf(call), { reason: text(call.params, "reason") }, call.caller.actor);
    return { ok: true, task_id: task.id, status: task.status };
  },
  link: async (call) => {
    const parent = named(call.params, "parent_id");
    const linked = await call.api.link(call.board, parent, named(call.params, "child_id"), call.caller.actor);
    return { ok: true, parent_id: linked.parent_id, child_id: linked.child_id, child_status: linked.child.status };
  },
};

async function show({ api, board, ...call }: Call): Promise<ToolAnswer> {
  const id = taskOf(call);
  const { task, parents, children, comments, events, runs, attachments } = await api.show(board, id);
  const shown = events.slice(-EVENTS_SHOWN);
  return { task, parents, children, comments, events: shown, runs, attachments, worker_context: await api.context(board, id) };
}

async function list({ api, board, params }: Call): Promise<ToolAnswer> {
  const limit = Math.min(Math.max(1, number(params, "limit") ?? LIST_DEFAULT), LIST_MAX);
  const status = text(params, "status");
  const filter: ListFilter = {
    assignee: text(params, "assignee"),
    status: status === undefined ? undefined : ([status] as ListFilter["status"]), // an unknown status matches nothing
    tenant: text(params, "tenant"),
    archived: params["include_archived"] === true,
    limit: limit + 1,
  };
  const found = await api.list(board, filter);
  const rows = found.slice(0, limit).map(({ task }) => ({
    ...{ id: task.id, title: task.title, status: task.status, assignee: task.assignee, priority: task.priority, tenant: task.tenant },
    ...{ created_at: task.created_at, block_reason: task.block_reason, parents: task.parents, children: task.children },
    ...{ parent_count: task.parents.length, child_count: task.children.length },
  }));
  const truncated = found.length > limit;
  return { tasks: rows, count: rows.length, limit, truncated, next_limit: truncated ? Math.min(limit * 2, LIST_MAX) : null };
}

function completion({ params, caller }: Call): CompleteParams {
  const metadata = params["metadata"];
  const verdict = text(params, "outcome");
  return {
    summary: text(params, "summary"),
    result: text(params, "result"),
    metadata: isRecord(metadata) ? metadata : undefined,
    verdict: verdict === "rejected" || verdict === "accepted" ? verdict : undefined,
    artifacts: texts(params, "artifacts"),
    created_cards: texts(params, "created_cards"),
    session_id: caller.session,
  };
}

async function create(call: Call): Promise<ToolAnswer> {
  const { api, board, caller, params } = call;
  const wanted: NewTask = { ...draft(params), ...(await sharedWorkspace(call)), session_id: caller.session, created_by: caller.actor.name };
  const tenant = wanted.tenant ?? caller.tenant;
  const made = await api.create(board, { ...wanted, tenant }, caller.actor);
  const { id, status } = made.task;
  return {
    ok: true,
    task_id: id,
    status,
    created: made.created,
    ...(made.warnings.length > 0 ? { warning: made.warnings.join("; ") } : {}),
  };
}

function draft(params: ToolParams): NewTask {
  const flag = (name: string) => (typeof params[name] === "boolean" ? params[name] : undefined);
  const kind = text(params, "workspace_kind");
  const initial = text(params, "initial_status");
  const drafted: NewTask = {
    title: text(params, "title") ?? "",
    assignee: text(params, "assignee"),
    body: text(params, "body"),
    parents: texts(params, "parents"),
    skills: texts(params, "skills"),
    tenant: text(params, "tenant"),
    priority: number(params, "priority"),
    workspace_kind: kind === "scratch" || kind === "dir" || kind === "worktree" ? kind : undefined,
    workspace_path: text(params, "workspace_path"),
    triage: flag("triage"),
    auto_decompose: flag("auto_decompose"),
    external: flag("external"),
    idempotency_key: text(params, "idempotency_key"),
    max_runtime_seconds: number(params, "max_runtime_seconds"),
    max_retries: number(params, "max_retries"),
    model_override: text(params, "model"),
    initial_status: initial === "normal" || initial === "blocked" ? initial : undefined,
    scheduled_at: number(params, "scheduled_at"),
    goal_mode: flag("goal_mode"),
    goal_max_turns: number(params, "goal_max_turns"),
  };
  return drafted;
}

/** A worker's own workspace is shared with the tasks it makes, unless it is a scratch directory or another is named. */
async function sharedWorkspace({ api, board, caller, params }: Call): Promise<Partial<NewTask>> {
  if (caller.task === undefined || params["workspace_kind"] !== undefined) return { cwd: caller.cwd };
  const own = await api.task(board, caller.task);
  if (own.workspace_kind === "scratch" || own.workspace_path === null) return { cwd: caller.cwd };
  const { workspace_kind, workspace_path } = own;
  return workspace_kind === "dir" ? { workspace_kind, workspace_path } : { workspace_kind, cwd: workspace_path };
}

/** The board that a call means. A worker's own verbs stay on the board of its claim. */
async function boardOf(api: BoardApi, caller: ToolCaller, method: BoardToolMethod, params: ToolParams): Promise<BoardSlug> {
  const flag = text(params, "board");
  if (flag === undefined) return caller.board;
  const writes = method !== "show" && method !== "list";
  const { board } = await api.resolve({ flag, env: {}, writes });
  if (board !== caller.board && caller.actor.kind === "worker" && writes) {
    throw new AppError("E_NOT_OWNER", `your task is on board ${caller.board}; you may not ${method} on ${board}`);
  }
  return board;
}

function taskOf({ caller, params }: Pick<Call, "caller" | "params">): TaskId {
  const given = text(params, "task_id") ?? caller.task;
  if (given === undefined) throw new AppError("E_INVALID", "task_id is required", { hint: "kanban_list shows the ids" });
  return given as TaskId; // the verb refuses an id that names no task
}

function named(params: ToolParams, name: string): TaskId {
  const given = text(params, name);
  if (given === undefined) throw new AppError("E_INVALID", `${name} is required`);
  return given as TaskId; // the verb refuses an id that names no task
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function text(params: ToolParams, name: string): string | undefined {
  const value = params[name];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function number(params: ToolParams, name: string): number | undefined {
  const value = params[name];
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function texts(params: ToolParams, name: string): readonly string[] | undefined {
  const value = params[name];
  if (typeof value === "string") return [value];
  return Array.isArray(value) ? value.filter((one) => typeof one === "string") : undefined;
}
