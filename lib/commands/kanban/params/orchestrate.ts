import * as z from "zod";
import { AppError, toAppError } from "../../../base/errors.js";
import type { BoardSlug, TaskId } from "../../../base/units.js";
import type { Actor } from "../../../contracts/board/board.js";
import type { OrchestrateParams, SpecifyOutcome } from "../../../contracts/board/orchestration.js";
import type { CommandContext, CommandResult } from "../../define.js";
import { actorFor, boardFor } from "../../params/board-target.js";
import { plain } from "../render/task.js";

/** Parameters that specify and decompose share (board part, 10.5). */
export const orchestrateParams = {
  id: z.string().optional().describe("triage task: id or unique prefix"),
  all: z.boolean().default(false).describe("all triage tasks; continues after failures"),
  tenant: z.string().optional().describe("with --all: limit to this namespace"),
  author: z.string().optional().describe("author of the comment"),
};

export interface OrchestrateRequest {
  readonly id?: string | undefined;
  readonly all: boolean;
  readonly tenant?: string | undefined;
  readonly author?: string | undefined;
}

/** One of the two commands: how a task is worked, how the outcome is reported, and how one looks that never reached the board. */
export interface OrchestrateJob<O extends SpecifyOutcome> {
  readonly verb: "specify" | "decompose";
  /** Key of the count when there is nothing to do. */
  readonly count: "specified" | "decomposed";
  readonly each: (board: BoardSlug, id: TaskId, params: OrchestrateParams, by: Actor) => Promise<O>;
  readonly line: (outcome: O) => string;
  readonly refusal: (id: string, reason: string) => O;
}

/** Work one task, or all that are in triage. Each outcome is printed as soon as it is known: a model may take minutes for each. */
export async function orchestrate<O extends SpecifyOutcome>(
  ctx: CommandContext,
  wanted: OrchestrateRequest,
  job: OrchestrateJob<O>,
): Promise<CommandResult> {
  if (wanted.id === undefined && !wanted.all) throw new AppError("E_USAGE", `${job.verb} needs a task id or --all`);
  if (wanted.id !== undefined && wanted.all)
    throw new AppError("E_USAGE", `${job.verb}: a task id and --all exclude each other`);
  if (wanted.tenant !== undefined && !wanted.all) throw new AppError("E_USAGE", "--tenant requires --all");
  const { board, warnings } = await boardFor(ctx, "write");
  for (const warning of warnings) await ctx.err(`kanban: ${warning}\n`);
  const by = await actorFor(ctx);
  const ids = wanted.id === undefined ? await triageIds(ctx, board, wanted.tenant) : [wanted.id];
  if (ids.length === 0) return nothing(ctx, job, wanted.tenant);
  const author = wanted.author ?? profileOf(ctx);
  const outcomes: O[] = [];
  for (const given of ids) {
    if (ctx.signal.aborted) break;
    const outcome = await one(ctx, job, board, { given, params: { author, signal: stopOf(ctx) }, by });
    outcomes.push(outcome);
    await tell(ctx, job, outcome);
  }
  const done = outcomes.some((outcome) => outcome.ok);
  const exit = ctx.signal.aborted ? INTERRUPTED : done ? 0 : 1;
  return { data: wanted.all ? outcomes : outcomes[0], streamed: true, exit };
}

/** Ctrl+C ends the model call. A client that merely goes away does not: the answer is for the board. */
const stopOf = ({ surface, signal }: CommandContext): AbortSignal | undefined =>
  surface === "rpc" ? undefined : signal;

/** As a shell has it after Ctrl+C. */
const INTERRUPTED = 130;

async function triageIds(
  ctx: CommandContext,
  board: BoardSlug,
  tenant: string | undefined,
): Promise<readonly string[]> {
  return (await ctx.board.list(board, { status: ["triage"], tenant })).map(({ task }) => task.id);
}

interface Target {
  readonly given: string;
  readonly params: OrchestrateParams;
  readonly by: Actor;
}

async function one<O extends SpecifyOutcome>(
  ctx: CommandContext,
  job: OrchestrateJob<O>,
  board: BoardSlug,
  target: Target,
): Promise<O> {
  try {
    return await job.each(board, await ctx.board.find(board, target.given), target.params, target.by);
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.code === "E_NOT_FOUND") return job.refusal(target.given, "unknown task id");
    throw error;
  }
}

async function tell<O extends SpecifyOutcome>(ctx: CommandContext, job: OrchestrateJob<O>, outcome: O): Promise<void> {
  if (ctx.json) await ctx.out(`${JSON.stringify(outcome)}\n`);
  else if (outcome.ok) await ctx.out(`${plain(job.line(outcome))}\n`);
  else await ctx.err(`kanban: ${job.verb} ${outcome.task_id}: ${plain(outcome.reason)}\n`);
}

/** The caller's profile, when it is one of its own. */
function profileOf(ctx: CommandContext): string | undefined {
  const profile = ctx.env["AGENT_PROFILE"];
  return profile !== undefined && profile !== "" && profile !== "default" ? profile : undefined;
}

function nothing<O extends SpecifyOutcome>(
  ctx: CommandContext,
  job: OrchestrateJob<O>,
  tenant: string | undefined,
): CommandResult {
  const data = { [job.count]: 0, total: 0 };
  if (ctx.json) return { data: [data], lines: true };
  return { text: `No triage tasks${tenant === undefined ? "" : ` for tenant '${plain(tenant)}'`}.`, data };
}

/** ` — retitled: '…'` for a specification that brought a title. */
export const retitled = (title: string | null): string => (title === null ? "" : ` — retitled: '${title}'`);
