import { resolve } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { readText } from "../../base/fs/files.js";
import { type Home, homeFrom } from "../../base/home.js";
import { expandTilde } from "../../base/tilde.js";
import { systemClock } from "../../base/time/clock.js";
import { type BoardSlug, type RunId, type TaskId, toUnix, type UnixSeconds } from "../../base/units.js";
import type { Actor, ClaimFile, ClaimRef } from "../../contracts/board/board.js";
import type { CommandContext } from "../define.js";
import { parseDuration, parseTime } from "../render/times.js";
import { isTaskId } from "./task-id.js";

/** Parameter of a task id. */
export const taskIdParam = z.string().describe("task: id or unique prefix");
/** Parameters by which a worker outside the product proves itself (board part, 7.10). */
export const claimParams = {
  run: z.number().int().min(1).optional().describe("run of the caller; requires --token"),
  token: z.string().optional().describe("token returned by claim; requires --run"),
} as const;

/** The board that a command works on, with warnings for standard error. @throws E_NOT_OWNER a worker names another board than its own */
export async function boardFor(
  ctx: CommandContext,
  access: "read" | "write",
): Promise<{ board: BoardSlug; warnings: readonly string[] }> {
  const flag = ctx.globals["board"];
  const named = typeof flag === "string" ? flag : undefined;
  const own = ctx.env["AGENT_KANBAN_BOARD"];
  if (named !== undefined && ctx.env["AGENT_KANBAN_CLAIM"] && own && named.trim().toLowerCase() !== own)
    throw new AppError("E_NOT_OWNER", `this worker works on board '${own}', not on '${named}'`, { board: own });
  return ctx.board.resolve({ flag: named, env: ctx.env, home: callerHome(ctx)?.dir, writes: access === "write" });
}

/** Name of the profile that calls. */
export const callerProfile = (ctx: CommandContext): string => (callerHome(ctx) ?? ctx.home).profile;

/** Home of the profile that calls, when it names one; its settings may name a board. */
function callerHome(ctx: CommandContext): Home | undefined {
  const flag = ctx.globals["profile"];
  const profile = typeof flag === "string" && flag !== "" ? flag : ctx.env["AGENT_PROFILE"];
  if (!profile && !ctx.env["AGENT_HOME"]) return undefined;
  return homeFrom(profile ? { ...ctx.env, AGENT_PROFILE: profile } : ctx.env);
}

export interface Caller {
  readonly run?: number | undefined;
  readonly token?: string | undefined;
  /** Name that a person gives; workers cannot choose theirs. */
  readonly author?: string | undefined;
  /** Task that is worked on, for `--run` and `--token`. */
  readonly task?: TaskId | undefined;
}

/**
 * Who calls. Inside a worker's environment the claim file speaks; a program inside a worker that has only its mark may look, not write.
 *
 * @throws E_NOT_OWNER, E_USAGE
 */
export async function actorFor(ctx: CommandContext, caller: Caller = {}): Promise<Actor> {
  const { line } = ctx;
  const given = givenClaim(caller);
  if (given !== undefined)
    return { kind: "worker", name: ctx.env["AGENT_PROFILE"] ?? caller.author ?? "external", claim: given, line };
  const path = ctx.env["AGENT_KANBAN_CLAIM"];
  if (path) {
    const claim = await readClaim(path);
    return { kind: "worker", name: ctx.env["AGENT_PROFILE"] ?? "external", claim, line };
  }
  if (ctx.env["AGENT_WORKER_MARK"]) {
    throw new AppError("E_NOT_OWNER", "programs inside a worker may only read the board", {
      hint: "use the worker's kanban tools instead",
    });
  }
  return { kind: "human", name: caller.author?.trim() || ctx.origin?.user_name?.trim() || "user", line };
}

/** Who made a task that was made in a chat: the chat and its user. Undefined elsewhere. */
export function makerOf({ origin }: CommandContext): string | undefined {
  return origin && `chat:${origin.platform}:${origin.user_id ?? origin.user_name ?? origin.chat_id}`;
}

/** The same for what concerns whole boards: no worker does that. @throws E_NOT_OWNER */
export async function requirePerson(ctx: CommandContext): Promise<Actor> {
  const by = await actorFor(ctx);
  if (by.kind !== "worker") return by;
  throw new AppError("E_NOT_OWNER", "a worker may not change boards or run the dispatcher");
}

function givenClaim(caller: Caller): ClaimRef | undefined {
  if (caller.run === undefined && caller.token === undefined) return undefined;
  if (caller.run === undefined || caller.token === undefined || caller.task === undefined) {
    throw new AppError("E_USAGE", "--run and --token must be used together");
  }
  return { task: caller.task, run: caller.run as RunId, token: caller.token }; // compared with the stored run before it counts
}

const claimFile = z.object({ task: z.string(), run: z.number(), token: z.string() });

async function readClaim(path: string): Promise<ClaimRef> {
  const text = await readText(path);
  const parsed = text === undefined ? undefined : claimFile.safeParse(parseJson(text));
  if (parsed?.success !== true) {
    throw new AppError("E_CLAIM_LOST", `no claim in ${path}: the run has ended`, { path });
  }
  return parsed.data as Pick<ClaimFile, "task" | "run" | "token">; // compared with the stored run before it counts
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    /* ok to lose: invalid JSON does not count as a claim, and the caller says so. */
    return undefined;
  }
}

/** Inside a worker's environment the command line shows what its tools show (board part, 17.1). @throws E_NOT_OWNER */
export async function mayList(ctx: CommandContext): Promise<void> {
  if (!ctx.env["AGENT_KANBAN_CLAIM"]) return; // a shell inside a worker may look at the board
  const tools = await ctx.board.workerTools(callerProfile(ctx));
  if (!tools.includes("kanban_list"))
    throw new AppError("E_NOT_OWNER", "a worker may not list the board", { hint: "agent kanban show shows one task" });
}

/** `--at` and the like, in the caller's zone. */
const timeFor = (ctx: CommandContext, given: string): UnixSeconds =>
  parseTime(given, toUnix(systemClock.now()), ctx.env["TZ"]);

export const optionalTime = (ctx: CommandContext, given: string | undefined): UnixSeconds | undefined =>
  given === undefined ? undefined : timeFor(ctx, given);

export const optionalDuration = (given: string | undefined): number | undefined =>
  given === undefined ? undefined : parseDuration(given);

/** Words of a reason as one text, or undefined without any. */
function wordsOf(words: readonly string[] | undefined): string | undefined {
  const text = (words ?? []).join(" ").trim();
  return text === "" ? undefined : text;
}

/**
 * The reason of a verb that also takes `--ids`. A bare id among its words is a task that would be left out.
 *
 * @throws E_USAGE
 */
export function reasonFrom(words: readonly string[]): string | undefined {
  const stray = words.find(isTaskId);
  if (stray !== undefined)
    throw new AppError("E_USAGE", `'${stray}' in the reason looks like a task id`, {
      hint: `for more tasks use --ids ${stray}; to mention a task, quote the whole reason`,
    });
  return wordsOf(words);
}

/** Refuse a list with an empty entry: a variable of a script that is not set. @throws E_USAGE */
export function refuseEmpty(flag: string, values: readonly string[]): void {
  if (values.some((value) => value.trim() === "")) throw new AppError("E_USAGE", `--${flag} requires a value, not ''`);
}

/** A text given by flag, by file, or from standard input (`-`). @throws E_USAGE */
export async function textFrom(
  ctx: CommandContext,
  given: { text?: string | undefined; file?: string | undefined },
): Promise<string | undefined> {
  if (given.text !== undefined && given.file !== undefined)
    throw new AppError("E_USAGE", "text and file exclude each other");
  if (given.text === "-" || given.file === "-") return ctx.stdin(256 * 1024 + 1);
  if (given.file === undefined) return given.text;
  if (given.file === "") throw new AppError("E_USAGE", "empty file name");
  const path = given.file.startsWith("/") ? given.file : `${ctx.cwd}/${given.file}`;
  const text = await readText(path);
  if (text === undefined) throw new AppError("E_USAGE", `no such file: ${given.file}`);
  return text;
}

/** A JSON object given on the command line. @throws E_USAGE */
export function objectFrom(flag: string, given: string | undefined): Record<string, unknown> | undefined {
  if (given === undefined) return undefined;
  const parsed = parseJson(given);
  if (typeof parsed !== "object" || parsed === null || Array.isArray(parsed))
    throw new AppError("E_USAGE", `--${flag} must be a JSON object`);
  return parsed as Record<string, unknown>; // neither null nor an array
}

/** The board that a `boards` verb names; without a name the one that commands use now. `--board` does not count. */
export async function namedBoard(
  ctx: CommandContext,
  slug: string | undefined,
  access: "read" | "write",
): Promise<{ board: BoardSlug; warnings: readonly string[] }> {
  return ctx.board.resolve({ flag: slug, env: ctx.env, home: callerHome(ctx)?.dir, writes: access === "write" });
}

/** A directory given on the command line, absolute; empty stays empty. */
export function directoryFrom(ctx: CommandContext, given: string | undefined): string | undefined {
  if (given === undefined || given.trim() === "") return given === undefined ? undefined : "";
  const home = ctx.env["HOME"];
  return resolve(ctx.cwd, home ? expandTilde(given, home) : given);
}
