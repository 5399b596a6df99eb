import { AppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { NewSession, SessionRecord } from "../../contracts/chat/chat.js";
import { requireSkills } from "../../contracts/skills/find-skills.js";
import { parseRuleEntry } from "../../safety/rules/entry.js";
import { looksLikeData } from "../../safety/rules/text.js";
import type { CommandContext } from "../define.js";
import { differences } from "./recap.js";

/** What the command line says about a turn and cannot be meant. @throws E_USAGE */
export function refuseWrongOptions(globals: Readonly<Record<string, unknown>>): void {
  // A provider alone would leave the model to chance.
  if (globals["provider"] !== undefined && globals["model"] === undefined)
    throw new AppError("E_USAGE", "--provider needs --model", {
      hint: "pass both: --provider P --model M",
    });
  const { max_turns: turns, max_cost: cost } = globals;
  if (typeof turns === "number" && (!Number.isInteger(turns) || turns < 1))
    throw new AppError("E_USAGE", `--max-turns must be a whole number of at least 1, not ${turns}`);
  if (typeof cost === "number" && cost <= 0)
    throw new AppError("E_USAGE", `--max-cost must be greater than 0, not ${cost}`);
  for (const name of ["allow", "deny"] as const) for (const rule of list(globals[name])) refuseNoRule(name, rule);
}

/** Skills that the line names: `--skills` may be repeated, and each is a comma list. */
export const namedSkills = (globals: Readonly<Record<string, unknown>>): readonly string[] =>
  list(globals["skills"]).flatMap((names) => names.split(",").map((name) => name.trim()));

/** Before anything is created. @throws E_USAGE naming the unknown ones, with the closest names */
export async function refuseUnknownSkills({
  globals,
  skills,
  cwd,
  env,
}: Pick<CommandContext, "globals" | "skills" | "cwd" | "env">): Promise<void> {
  const names = namedSkills(globals);
  if (names.length > 0) await requireSkills(skills.catalog, names, { place: { cwd, env }, given: "--skills" });
}

/** Left out it would let happen, or ask about, what it was given for. Maps and lists are looked at when the session opens. */
function refuseNoRule(name: "allow" | "deny", rule: string): void {
  if (looksLikeData(rule.trim())) return;
  const parsed = parseRuleEntry({ list: name, value: rule });
  if (typeof parsed === "string")
    throw new AppError("E_USAGE", `--${name} '${rule}': ${parsed}`, {
      hint: "agent help permissions describes the rule syntax",
    });
}

/** The session that the options name; undefined when they name none. `stays`: it goes on with the options of this command line. */
export async function namedSession(ctx: CommandContext, stays = false): Promise<SessionRecord | undefined> {
  const found = await wantedSession(ctx);
  if (found === undefined) return undefined;
  const session = await ctx.chat[stays ? "resume" : "visit"](found.session.id, sessionOptions(ctx));
  for (const notice of [...found.notices, ...differences(session, found.session)]) await ctx.err(`agent: ${notice}\n`);
  return session;
}

/** `--resume NAME`, `-c NAME` or `-c`. @throws E_USAGE for both, E_NOT_FOUND */
async function wantedSession(
  ctx: CommandContext,
): Promise<{ session: SessionRecord; notices: readonly string[] } | undefined> {
  const name = text(ctx.globals["resume"]);
  const going = ctx.globals["continue"];
  if (name !== undefined && going !== undefined)
    throw new AppError("E_USAGE", "--resume and --continue exclude each other");
  const wanted = name ?? text(going);
  if (wanted !== undefined) return { session: await ctx.chat.find(wanted), notices: [] };
  if (going === undefined) return undefined;
  const latest = await ctx.chat.latest(ctx.cwd);
  if (latest === undefined)
    throw new AppError("E_NOT_FOUND", "no session to continue", { hint: 'agent -z "PROMPT" starts one' });
  const { session, elsewhere } = latest;
  return {
    session,
    notices: elsewhere
      ? [`no session in this directory; continuing ${session.id} (${session.title ?? "untitled"})`]
      : [],
  };
}

/** The session that the options name, or a new one in the caller's directory. */
export const chooseSession = async (ctx: CommandContext): Promise<SessionRecord> =>
  (await namedSession(ctx)) ?? ctx.chat.create(sessionOptions(ctx));

/** It has lost its user; one in which nothing could be said goes. What is under way in the background keeps it open. */
export async function leaveIdle(id: SessionId, ctx: CommandContext): Promise<void> {
  if (!(await ctx.chat.isBusy(id))) await ctx.chat.leave(id, "closed");
}

/** What holds for the turns of this command line alone, in a conversation that others have open as well. */
export const turnOptions = (ctx: CommandContext): { readonly options?: NewSession } =>
  ctx.globals["resume"] === undefined && ctx.globals["continue"] === undefined ? {} : { options: sessionOptions(ctx) };

/** The conversation that a slash command was typed in. @throws E_USAGE when it was typed in none */
export function sessionOf(ctx: CommandContext): SessionId {
  if (ctx.session !== undefined) return ctx.session;
  throw new AppError("E_USAGE", "this command needs an open conversation", {
    hint: 'agent --resume SESSION -z "/..." runs it in one',
  });
}

/** What the options of this command line ask of a new session. */
export function sessionOptions(ctx: CommandContext): NewSession {
  const { globals } = ctx;
  const model = text(globals["model"]);
  const provider = text(globals["provider"]);
  const toolsets = text(globals["toolsets"]);
  const skills = namedSkills(globals);
  return {
    source: "cli",
    cwd: ctx.cwd,
    env: ctx.env,
    ...(model === undefined ? {} : { model }),
    ...(provider === undefined ? {} : { provider }),
    ...(toolsets === undefined ? {} : { toolsets: toolsets.split(",").map((name) => name.trim()) }),
    ...(skills.length === 0 ? {} : { skills }),
    ...(globals["ephemeral"] === true ? { ephemeral: true } : {}),
    ...(globals["yolo"] === true ? { yolo: true } : {}),
    ...(globals["checkpoints"] === true ? { checkpoints: true } : {}),
    ...(ignoresRules(globals) ? { ignoreRules: true } : {}),
    allow: list(globals["allow"]),
    deny: list(globals["deny"]),
  };
}

/** The same for a front end that opens its conversations over the socket, as `session.create` takes it. */
export function sessionAsks(globals: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { yolo, ephemeral, checkpoints, max_turns, max_cost: max_cost_usd } = globals;
  const toolsets = text(globals["toolsets"])
    ?.split(",")
    .map((name) => name.trim());
  const skills = namedSkills(globals);
  const asked = {
    model: text(globals["model"]),
    provider: text(globals["provider"]),
    toolsets,
    skills: skills.length === 0 ? undefined : skills,
    yolo,
    ephemeral,
    checkpoints,
    max_turns,
    max_cost_usd,
    allow: list(globals["allow"]),
    deny: list(globals["deny"]),
    ignore_rules: ignoresRules(globals),
  };
  return Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
}

/** `--safe-mode` leaves out what `--ignore-rules` does. */
export const ignoresRules = (globals: Readonly<Record<string, unknown>>): boolean =>
  globals["ignore_rules"] === true || globals["safe_mode"] === true;

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
const list = (value: unknown): readonly string[] => (Array.isArray(value) ? value.map(String) : []);
