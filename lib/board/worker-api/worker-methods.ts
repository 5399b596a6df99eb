import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { matchesDigest, sha256 } from "../../base/text/hash.js";
import type { Clock } from "../../base/time/clock.js";
import type { BoardSlug, Ms, RunId, SessionId, TaskId } from "../../base/units.js";
import type { BoardApi } from "../../contracts/board/api.js";
import type { Actor, ClaimRef, RunUsage, Task } from "../../contracts/board/board.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { Config } from "../../contracts/config/config.js";
import type { BoardToolMethod } from "../../tools/core/board-port.js";
import type { BoardKernel } from "../core/kernel.js";
import { KANBAN } from "../core/keys.js";
import { callBoardTool, type ToolCaller } from "./tool-methods.js";

const TOOL_METHODS = [
  "show",
  "list",
  "complete",
  "block",
  "heartbeat",
  "comment",
  "create",
  "unblock",
  "link",
] as const;

const usage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cached_tokens: z.number(),
  api_calls: z.number(),
  cost_usd: z.number().nullable(),
});

/** Parameters of what a worker may ask its owner, beside the methods of its transcript. Each call comes from a client with a claim. */
export const WORKER_PARAMS = {
  /** Once, before the first turn: what to work on and how. Opens the worker's conversation. */
  "worker.context": z.object({ cwd: z.string().max(8192), env: z.record(z.string(), z.string()).default({}) }),
  /** The worker is active. Extends its lease. */
  "worker.heartbeat": z.object({}),
  /** Call of a board tool with the tool's own parameters. */
  "worker.tool": z.object({
    method: z.enum(TOOL_METHODS),
    params: z.record(z.string(), z.unknown()).default({}),
    /** Tokens of the run so far; kept on it by a terminal call. */
    usage: z.exactOptional(usage),
  }),
  /** What the run has used so far; the task is blocked when that is all it may use. */
  "worker.spend": z.object({ usage, ends: z.boolean().default(true) }),
  /** Why it is about to end without a terminal call, or how. */
  "worker.report": z.object({
    class: z.string().max(40),
    error: z.exactOptional(z.string()),
    until: z.exactOptional(z.number()),
    budget_used: z.exactOptional(z.int()),
    budget_max: z.exactOptional(z.int()),
    reminders: z.exactOptional(z.int()),
    last_text: z.exactOptional(z.string()),
    usage: z.exactOptional(usage),
  }),
} as const;

export type WorkerMethod = keyof typeof WORKER_PARAMS;

/** Claim of the client that calls, as the backplane has parsed it. */
export interface CallerClaim {
  readonly board: string;
  readonly task: string;
  readonly run: number;
  readonly token: string;
}

/** Answer of `worker.context`. */
export interface WorkerBrief {
  readonly task: Task;
  readonly profile: string;
  readonly session: SessionRecord;
  readonly ttl_seconds: number;
  /** Board tools that this worker may use (board part, 17.1). */
  readonly tools: readonly string[];
  readonly reminders: number;
  readonly approvals: "block" | "allow";
  /** The token budget of the task was used up before: it is blocked, and there is nothing to do. */
  readonly over_budget: boolean;
}

export interface WorkerHost {
  readonly api: BoardApi;
  readonly kernel: Pick<BoardKernel, "openRuns" | "leaseSeconds">;
  readonly config: Config;
  readonly clock: Clock;
  /** Id of a conversation that is to be opened. */
  sessionId(): SessionId;
  /** Open the conversation of a worker, or find it when it was opened before. */
  openSession(input: { id: SessionId; profile: string; cwd: string; title: string }): Promise<SessionRecord>;
}

/** The owner's side of its workers. */
export interface WorkerMethods {
  /** Each takes parsed parameters and the caller's claim; `key` names the request. @throws E_CLAIM_LOST */
  readonly methods: Readonly<
    Record<WorkerMethod, (params: unknown, claim: CallerClaim, call?: { key?: string }) => Promise<unknown>>
  >;
  /** What became of a call that an owner had begun when it died. */
  recover(params: unknown, claim: CallerClaim): Promise<{ readonly result: unknown } | "not done" | "unknown">;
  /**
   * The caller may write into the conversation of its run.
   *
   * @throws E_CLAIM_LOST the run is not its own, or has ended otherwise than by its own terminal call
   */
  allow(claim: CallerClaim, session: Pick<SessionRecord, "id" | "source" | "lineage_root">): Promise<void>;
}

/** How long after its terminal call a worker may still store the end of its conversation. */
const LEAVING: Ms = 60_000;

interface Known {
  readonly digest: string;
  readonly profile: string;
  /** Id of its conversation, once its run names one. */
  conversation: SessionId | undefined;
  /** Calls under way that may end the run by the worker itself. */
  ending: number;
  /** It made its terminal call, on the monotonic clock. */
  leftAt: Ms | undefined;
}

/** Whether a call may be repeated when its outcome is unknown. */
export function repeatOf(method: WorkerMethod, params: unknown): "safe" | "noted" {
  return method === "worker.tool" && !isSafe(WORKER_PARAMS[method].parse(params).method) ? "noted" : "safe";
}

export function createWorkerMethods(host: WorkerHost): WorkerMethods {
  const known = new Map<string, Known>();
  const verified = (claim: CallerClaim) => verify(host, known, claim);
  return {
    recover: async (params, claim) => recoverTool(host, claim, WORKER_PARAMS["worker.tool"].parse(params)),
    allow: async (claim, session) => {
      const { conversation } = await verified(claim);
      // What compaction makes of the conversation of a run belongs to it as well.
      if (conversation !== session.id && conversation !== session.lineage_root)
        throw new AppError("E_NOT_OWNER", `session ${session.id} is not that of run ${claim.run}`);
    },
    methods: {
      "worker.context": async (params, claim) =>
        brief(host, await verified(claim), claim, WORKER_PARAMS["worker.context"].parse(params)),
      "worker.heartbeat": async (_params, claim) => {
        const { claim_expires } = await host.api.heartbeat(
          boardOf(claim),
          refOf(claim).task,
          undefined,
          actorOf(claim),
        );
        return { claim_expires, ttl_seconds: host.kernel.leaseSeconds() };
      },
      "worker.tool": async (params, claim, call) =>
        callTool(host, await verified(claim), claim, { ...WORKER_PARAMS["worker.tool"].parse(params), key: call?.key }),
      "worker.spend": async (params, claim) => {
        const { usage: used, ends } = WORKER_PARAMS["worker.spend"].parse(params);
        const mine = await verified(claim);
        const leaving = mine.ending > 0 || mine.leftAt !== undefined;
        return ending(mine, host, () => host.api.spend(boardOf(claim), refOf(claim), { usage: used, ends, leaving }));
      },
      "worker.report": async (params, claim) => {
        const report = WORKER_PARAMS["worker.report"].parse(params);
        await verified(claim);
        await host.api.reportFailure(boardOf(claim), refOf(claim), report);
        return {};
      },
    },
  };
}

async function brief(host: WorkerHost, mine: Known, claim: CallerClaim, params: { cwd: string }): Promise<WorkerBrief> {
  const board = boardOf(claim);
  const ref = refOf(claim);
  const task = await host.api.task(board, ref.task);
  const { profile } = mine;
  // The run names its conversation before that is made, so that an owner that comes later finds it.
  mine.conversation ??= host.sessionId();
  const { over } = await ending(mine, host, () => host.api.spend(board, ref, { session_id: mine.conversation }));
  const session = await host.openSession({
    id: mine.conversation,
    profile,
    cwd: params.cwd,
    title: `${task.id}: ${task.title}`,
  });
  return {
    task,
    profile,
    session,
    over_budget: over,
    ttl_seconds: host.kernel.leaseSeconds(),
    tools: await host.api.workerTools(profile),
    reminders: host.config.get(KANBAN.protocolReminders),
    approvals: host.config.get(KANBAN.workerApprovals) === "allow" ? "allow" : "block",
  };
}

interface ToolCall {
  readonly method: BoardToolMethod;
  readonly params: Readonly<Record<string, unknown>>;
  readonly usage?: RunUsage;
  /** Names the request, so that a task that it makes is made once. */
  readonly key?: string | undefined;
}

/** Tools that look, that set what is set already, or that find what they have made by its key. */
const isSafe = (method: BoardToolMethod): boolean => SAFE.has(method);
const SAFE: ReadonlySet<BoardToolMethod> = new Set(["show", "list", "heartbeat", "link", "create"]);

/** A terminal call closes its own run: how that ended says whether it was done. */
async function recoverTool(host: WorkerHost, claim: CallerClaim, { method }: ToolCall) {
  if (method !== "complete" && method !== "block") return "unknown";
  const ref = refOf(claim);
  const kinds = method === "complete" ? ["completed"] : ["blocked", "scheduled"];
  const { task, events } = await host.api.show(boardOf(claim), ref.task);
  const own = events.some(
    (event) => event.run_id === ref.run && event.actor === "worker" && kinds.includes(event.kind),
  );
  if (!own) return "not done"; // when the run is over otherwise, doing it tells the worker that its claim is lost
  return {
    result: { ok: true, task_id: ref.task, run_id: ref.run, ...(method === "block" ? { status: task.status } : {}) },
  };
}

async function callTool(host: WorkerHost, mine: Known, claim: CallerClaim, call: ToolCall): Promise<unknown> {
  const { method, usage: used } = call;
  const params = withKey(call);
  const ref = refOf(claim);
  const { tenant } = await host.api.task(boardOf(claim), ref.task);
  const caller: ToolCaller = {
    actor: { ...actorOf(claim), name: mine.profile },
    board: boardOf(claim),
    task: ref.task,
    session: mine.conversation,
    tenant: tenant ?? undefined,
    tools: await host.api.workerTools(mine.profile),
  };
  const work = () => callBoardTool(withUsage(host.api, used), caller, method, params);
  if (method !== "complete" && method !== "block") return work();
  return (await ending(mine, host, async () => ({ over: true, answer: await work() }))).answer;
}

/** A task that names no key of its own gets that of its request: sent again, the request finds it. */
function withKey({ method, params, key }: ToolCall): Readonly<Record<string, unknown>> {
  const named = typeof params["idempotency_key"] === "string" && params["idempotency_key"] !== "";
  return method !== "create" || named || key === undefined ? params : { ...params, idempotency_key: `request:${key}` };
}

/** Do what may end the run by its own worker. What the worker sent just before must meanwhile find it leaving, not lost. */
async function ending<T extends { readonly over: boolean }>(
  mine: Known,
  host: WorkerHost,
  body: () => Promise<T>,
): Promise<T> {
  mine.ending += 1;
  try {
    const done = await body();
    if (done.over) mine.leftAt = host.clock.mono();
    return done;
  } finally {
    mine.ending -= 1;
  }
}

/** The verbs that close a run, with what the run has used. */
function withUsage(api: BoardApi, used: RunUsage | undefined): BoardApi {
  if (!used) return api;
  return {
    ...api,
    complete: (board, id, params, by) => api.complete(board, id, { ...params, usage: used }, by),
    block: (board, id, params, by) => api.block(board, id, { ...params, usage: used }, by),
  };
}

/** The first call of a run proves its claim by a fenced verb; later ones are compared with that, and their run must still be open. */
async function verify(host: WorkerHost, known: Map<string, Known>, claim: CallerClaim): Promise<Known> {
  const key = `${claim.board}/${claim.run}`;
  const mine = known.get(key);
  if (!mine) {
    await host.api.heartbeat(boardOf(claim), refOf(claim).task, undefined, actorOf(claim));
    const open = await host.kernel.openRuns(boardOf(claim));
    const run = open.find((one) => one.id === claim.run);
    prune(known, new Set(open.map((run) => `${claim.board}/${run.id}`)), `${claim.board}/`, host.clock.mono());
    const conversation = (run?.session_id ?? undefined) as SessionId | undefined; // written from the id of a session
    const fresh: Known = {
      digest: sha256(claim.token),
      profile: run?.profile ?? "default",
      conversation,
      ending: 0,
      leftAt: undefined,
    };
    known.set(key, fresh);
    return fresh;
  }
  const open = (await openRun(host, claim)) !== undefined;
  const leaving = mine.ending > 0 || (mine.leftAt !== undefined && host.clock.mono() - mine.leftAt <= LEAVING);
  if (!open && !leaving) known.delete(key);
  if (!matchesDigest(claim.token, mine.digest) || !(open || leaving)) throw lost(claim);
  return mine;
}

/** Forget the runs of a board that have ended and whose workers have had their time to leave. */
function prune(known: Map<string, Known>, open: ReadonlySet<string>, board: string, now: Ms): void {
  for (const [key, { leftAt, ending: under }] of known) {
    const leaving = under > 0 || (leftAt !== undefined && now - leftAt <= LEAVING);
    if (key.startsWith(board) && !open.has(key) && !leaving) known.delete(key);
  }
}

async function openRun(host: WorkerHost, claim: CallerClaim) {
  return (await host.kernel.openRuns(boardOf(claim))).find((run) => run.id === claim.run && run.task_id === claim.task);
}

const lost = (claim: CallerClaim) =>
  new AppError("E_CLAIM_LOST", `you no longer own ${claim.task}; stop now`, { task: claim.task });
const boardOf = (claim: CallerClaim) => claim.board as BoardSlug; // proved by the fenced verb that comes first
const actorOf = (claim: CallerClaim): Actor => ({ kind: "worker", name: claim.task, claim: refOf(claim) });

function refOf(claim: CallerClaim): ClaimRef {
  return { task: claim.task as TaskId, run: claim.run as RunId, token: claim.token }; // proved by the fenced verb that comes first
}
