import * as z from "zod";
import { toAppError } from "../../base/errors.js";
import { MEMORY_ENABLED, MEMORY_USER_ENABLED, MEMORY_WRITE_APPROVAL } from "../../contracts/memory/keys.js";
import {
  MEMORY_SCOPES,
  MEMORY_TARGETS,
  type MemoryApi,
  type MemoryAuthor,
  type MemoryChange,
  type MemoryOutcome,
  type MemoryPlace,
  type PendingMemory,
} from "../../contracts/memory/memory.js";
import { flagLines } from "../../safety/redact/injection.js";
import { defineTool, type ToolContext, type ToolResult } from "../core/define.js";
import { jsonResult } from "../run/execute.js";
import { toFailureResult } from "../run/scope.js";

const params = z.object({
  action: z.enum(["add", "replace", "remove", "read", "search"]),
  target: z.enum(MEMORY_TARGETS).default("memory").describe("memory: your notes; user: who the user is and prefers."),
  content: z.string().optional().describe("One fact in one sentence, for add and replace."),
  old_text: z.string().optional().describe("Part of the entry to replace or remove, or its id."),
  scope: z
    .enum(MEMORY_SCOPES)
    .optional()
    .describe("Who it holds for. Default: project where there is one, else user. board: workers of this board."),
  expires: z.string().optional().describe("How long it holds: 12h, 30d."),
  query: z.string().optional().describe("Words to search for."),
  contradicts: z
    .string()
    .optional()
    .describe("After entries were shown that say nearly the same: none, or the id of the one it corrects."),
});

type Params = z.output<typeof params>;

export default defineTool({
  name: "memory",
  toolset: "memory",
  description:
    "Keep facts for later conversations: preferences, decisions, how a project is built and tested. Not what the files say, nor the progress of the work. " +
    "add, replace, remove change it; read lists a target; search finds entries that the prompt does not show. What you write takes effect in later " +
    "conversations; in this one you know it already.",
  params,
  risk: "write",
  effects: ({ action }) =>
    action === "read" ? { reads: ["memory"], writes: [] } : { reads: [], writes: ["memory", ...ASKS[action]] },
  limits: { ms: 0, chars: 20_000 },
  secrets: "refused",
  available: ({ config }) =>
    config.get(MEMORY_ENABLED) || config.get(MEMORY_USER_ENABLED)
      ? true
      : "the memory is switched off: agent memory setup",
  preview: ({ action, content, old_text, query }) =>
    `${action} ${content ?? old_text ?? query ?? ""}`.trim().replace(/\s+/g, " ").slice(0, 120),
  run,
});

/** A correction may become a question to the user. */
const ASKS = { add: ["user"], replace: [], remove: [], search: [] } as const;

async function run(given: Params, ctx: ToolContext): Promise<ToolResult> {
  const { memory } = ctx.ports;
  if (memory === undefined) return failure("there is no memory here");
  const limited = ctx.reach?.limits() !== undefined;
  if (limited && given.action !== "add")
    return failure("the memory belongs to the owner of this agent and is not open to this chat");
  try {
    if (given.action === "read") return await read(given, ctx, memory);
    if (given.action === "search") return await search(given, ctx, memory);
    const change = changeOf(given, ctx);
    return typeof change === "string" ? failure(change) : await write(change, ctx, memory);
  } catch (error) {
    const { message, hint } = toAppError(error);
    return failure(message, { hint });
  }
}

const failure = (message: string, more: Readonly<Record<string, unknown>> = {}): ToolResult =>
  toFailureResult(message, { success: false, ...more });

const placeOf = (ctx: ToolContext): MemoryPlace => ({
  cwd: ctx.state.launchDir,
  env: ctx.env,
  ...(ctx.boardSlug === undefined ? {} : { board: ctx.boardSlug }),
});

const entriesText = (n: number): string => (n === 1 ? "1 entry." : `${n} entries.`);

/** An entry that looks like an instruction is shown as data. */
const labelled = (text: string): string => flagLines(text).text;

async function read({ target }: Params, ctx: ToolContext, memory: MemoryApi): Promise<ToolResult> {
  const files = await memory.read(target, placeOf(ctx));
  const own = files.find(({ scope }) => scope !== "project" && scope !== "board");
  const entries = files.flatMap((file) => file.entries.map(labelled));
  const more = files.filter((file) => file !== own && file.entries.length > 0);
  return {
    text: jsonResult({
      success: true,
      target,
      entries,
      usage: own?.usage ?? "",
      entry_count: entries.length,
      message: entries.length === 0 ? "Nothing is remembered yet." : entriesText(entries.length),
      ...(more.length === 0 ? {} : { scopes: more.map(({ scope, usage }) => ({ scope, usage })) }),
    }),
  };
}

async function search({ query, content }: Params, ctx: ToolContext, memory: MemoryApi): Promise<ToolResult> {
  const words = query ?? content ?? "";
  if (words.trim() === "") return failure("query is missing: words that the entry has");
  const found = await memory.search(words, { place: placeOf(ctx), counts: true });
  const entries = found.map(({ id, target, scope, text, created_at }) => ({
    id,
    target,
    scope,
    text: labelled(text),
    created: new Date(created_at).toISOString().slice(0, 10),
  }));
  const message = entries.length === 0 ? `No entry has the words: ${words}` : entriesText(entries.length);
  return { text: jsonResult({ success: true, query: words, entries, entry_count: entries.length, message }) };
}

/** The change that a call asks for, or what is missing. */
function changeOf(given: Params, ctx: ToolContext): MemoryChange | string {
  const { action, target, content, old_text: which, scope, expires, contradicts } = given;
  const ttl = expires === undefined ? undefined : timeToLive(expires);
  if (typeof ttl === "string") return ttl;
  if (action === "remove") {
    const wanted = which ?? content;
    return wanted === undefined
      ? "old_text is missing: part of the entry to remove"
      : { action, target, which: wanted };
  }
  if (content === undefined) return "content is missing: the fact to keep";
  if (ctx.redact(content) !== content) return "a secret cannot be remembered; write where it is kept instead";
  if (action === "replace")
    return which === undefined
      ? "old_text is missing: part of the entry to replace"
      : { action, target, which, content, ttl };
  return { action: "add", target, content, scope, ttl, contradicts };
}

async function write(change: MemoryChange, ctx: ToolContext, memory: MemoryApi): Promise<ToolResult> {
  const why = await whyStaged(ctx);
  const { session, turn, origin } = ctx;
  const by = origin?.user_id ?? (ctx.board?.task === undefined ? "user" : `task ${ctx.board.task}`);
  const author: MemoryAuthor = { source: { kind: "turn", session, turn, by }, untrusted: why?.untrusted === true };
  const place = placeOf(ctx);
  if (why !== undefined) return staged(await memory.stage(change, place, author, why.text));
  if (change.action !== "add") return answer(await memory.change(change, place, author));
  return await add(change, ctx, { memory, place, author });
}

interface Why {
  readonly text: string;
  /** What is to be kept may come from another author. */
  readonly untrusted: boolean;
}

/** Why a person decides about the changes of this turn; undefined: no decision is needed. */
async function whyStaged(ctx: ToolContext): Promise<Why | undefined> {
  if (ctx.reach?.limits() !== undefined) return { text: "it comes from a chat of others", untrusted: true };
  const foreign = await ctx.heardOthers?.();
  if (foreign !== undefined) return { text: foreign, untrusted: true };
  return ctx.config.get(MEMORY_WRITE_APPROVAL) ? { text: "memory.write_approval is on", untrusted: false } : undefined;
}

const isPending = (given: PendingMemory | MemoryOutcome): given is PendingMemory => "change" in given;

function staged(given: PendingMemory | MemoryOutcome): ToolResult {
  if (!isPending(given)) return answer(given);
  const { id, why } = given;
  const message = `Not written yet: ${why}. A person decides with agent memory approve ${id} or /memory approve ${id}. Tell the user, and do not repeat the call.`;
  return { text: jsonResult({ success: true, pending: id, message }) };
}

interface Adding {
  readonly memory: MemoryApi;
  readonly place: MemoryPlace;
  readonly author: MemoryAuthor;
}

type Add = Extract<MemoryChange, { action: "add" }>;

interface Shown {
  readonly ids: Set<string>;
  close?(): Promise<void>;
}

/** What the model was shown in this conversation as saying nearly the same. */
const shownTo = (ctx: ToolContext): Shown => ctx.state.entry("memory", (): Shown => ({ ids: new Set() }));

async function add(change: Add, ctx: ToolContext, { memory, place, author }: Adding): Promise<ToolResult> {
  const { contradicts, ...plain } = change;
  const first = await memory.change(plain, place, author);
  if (first.done !== "nothing" || first.why !== "near") return answer(first);
  const shown = shownTo(ctx);
  const seen = first.about.every(({ id }) => shown.ids.has(id));
  for (const { id } of first.about) shown.ids.add(id);
  // Only an answer about entries that it was shown is an answer.
  if (contradicts === undefined || !seen) return askedAbout(first);
  if (contradicts.trim().toLowerCase() === "none")
    return answer(await memory.change({ ...plain, contradicts: "checked" }, place, author));
  const old = first.about.find(({ id }) => id === contradicts.trim());
  if (old === undefined) return askedAbout(first);
  return await correct({ ...plain, contradicts: old.id }, ctx, { memory, place, author });
}

type Near = Extract<MemoryOutcome, { done: "nothing" }>;

function askedAbout({ about, target }: Near): ToolResult {
  const message =
    "Nothing was added: these entries say nearly the same. If one of them is wrong now, repeat the call with contradicts: its id. If all of it holds, repeat it with contradicts: none. If it is known already, do nothing.";
  return { text: jsonResult({ success: false, target, near: about, message }), status: "error" };
}

const KEEP_NEW = "The new one";
const KEEP_OLD = "The old one";
const KEEP_BOTH = "Both are true";

/** The new fact takes the place of the old one; a user who is there says which of them holds. */
async function correct(change: Add, ctx: ToolContext, { memory, place, author }: Adding): Promise<ToolResult> {
  const old = await memory.find(change.contradicts ?? "");
  const question = `The memory says: ${old.text}\nNew: ${change.content}\nWhich one holds?`;
  const said = await ctx.ask?.(question, [KEEP_NEW, KEEP_OLD, KEEP_BOTH]);
  if (said?.how === "answered") {
    if (said.text === KEEP_OLD) return answered(`The user keeps the old entry: ${old.text}`);
    if (said.text === KEEP_BOTH)
      return answer(await memory.change({ ...change, contradicts: "checked" }, place, author));
    if (said.text !== KEEP_NEW) return answered(`Nothing was changed. The user says: ${said.text}`);
  }
  if (said?.how === "silent" || said?.how === "cancelled")
    return staged(await memory.stage(change, place, author, "it contradicts an entry, and the user has not answered"));
  return answer(await memory.change(change, place, author));
}

const answered = (message: string): ToolResult => ({ text: jsonResult({ success: true, message }) });

function answer(outcome: MemoryOutcome): ToolResult {
  const { target, entries, usage, message } = outcome;
  const state = { target, entries: entries.map(labelled), usage, entry_count: entries.length };
  if (outcome.done !== "nothing") {
    const { replaced } = outcome.entry;
    const was = outcome.done === "replaced" && replaced !== undefined ? { replaced } : {};
    return { text: jsonResult({ success: true, ...state, message, ...was }) };
  }
  if (outcome.why === "near") return askedAbout(outcome);
  return failure(message, { ...state, ...(outcome.about.length === 0 ? {} : { about: outcome.about }) });
}

const FACTORS = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000, y: 31_536_000_000 } as const;
const YEARS_AT_MOST = 100;

/** Milliseconds of a duration as a model writes it: `12h`, `30d`, `2 weeks`; a text says what is wrong with it. */
function timeToLive(given: string): number | string {
  const found = /^(\d{1,6}(?:\.\d{1,3})?)\s*(m|h|d|w|y)(?:in(?:ute)?s?|ours?|ays?|eeks?|ears?)?$/i.exec(given.trim());
  const [, number = "", unit = ""] = found ?? [];
  const ms = Math.round(Number(number) * FACTORS[unit.toLowerCase() as keyof typeof FACTORS]); // the pattern allows only these letters
  if (found !== null && ms >= FACTORS.m && ms <= YEARS_AT_MOST * FACTORS.y) return ms;
  return `expires: '${given.slice(0, 40)}' is no duration; write a number with m, h, d, w or y, e.g. 12h or 30d`;
}
