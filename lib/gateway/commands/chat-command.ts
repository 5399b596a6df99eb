import type { SessionId } from "../../base/units.js";
import { runSlash } from "../../cli/run-slash.js";
import type { CommandServices, SlashPlace } from "../../commands/define.js";
import type { CommandEntry } from "../../commands/entry.js";
import { commandAt, distinct, firstWords, matchNames } from "../../commands/slash/names.js";
import { forbidden } from "../../commands/slash/rules.js";
import { findRuntimeCommand, listRuntimeCommands } from "../../commands/slash/runtime-commands.js";
import { isInChats } from "../../commands/slash/surfaces.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { ChatWork, SlashAnswer, SlashCall } from "../../contracts/chat/slash.js";
import type { Allowing } from "../admission/allowlists.js";
import { memberOf } from "../admission/member-tier.js";
import { type Conversations, originOf, toChatSession } from "../conversations/conversations.js";
import { ownChat } from "../conversations/own-chat.js";
import { commandIn } from "../router/command-text.js";

export interface CommandDeps {
  readonly services: CommandServices;
  readonly entries: readonly CommandEntry[];
  readonly chat: ChatApi;
  readonly conversations: Conversations;
  readonly options: AppOptions;
  readonly allowing: (event: Inbound) => Allowing;
  /** A question was asked in a conversation of its own; its answer belongs here. */
  readonly background?: (event: Inbound, session: SessionId) => Promise<void>;
  /** What goes on in a session, besides what its conversation tells. */
  readonly work?: (sessionKey: string) => Promise<ChatWork>;
}

export type RunChatCommand = (event: Inbound, sessionKey: string) => Promise<string>;

/** They need no conversation, and make none. */
const WITHOUT: ReadonlySet<string> = new Set([
  "stop",
  "status",
  "help",
  "commands",
  "version",
  "whoami",
  "topic",
  "platform",
  "resume",
  "switch",
  "sessions",
  "restart",
  "sethome",
  "kanban",
  "cron",
  "profile",
  "update",
  "approve",
  "deny",
  "agents",
  "setup-files",
]);

/** Runs commands of chats through the one entry that every front end uses, with its guard. */
export function chatCommand(deps: CommandDeps): RunChatCommand {
  const { services, entries, chat, conversations, options } = deps;
  const name = namer(entries);
  return async (event, sessionKey) => {
    const typed = commandIn(event) ?? "";
    const known = await conversations.at(sessionKey);
    if (name(typed) === "stop" && known === undefined) return "⚡ Nothing was running.";
    // An unknown command does not make a conversation either.
    const { cwd, env } = toChatSession(event, options);
    const place = { cwd, env, platform: event.platform };
    const needs = name(typed) === undefined ? await startsTurn(deps, typed, place) : !WITHOUT.has(name(typed) ?? "");
    const session = needs ? await conversations.open(sessionKey, event) : known;
    const work = name(typed) === "status" ? await deps.work?.(sessionKey) : undefined;
    const call = { ...calledBy(deps, event), session, work };
    const never = new AbortController().signal;
    const seen = call.member.tier === "admin" ? chat : ownChat(chat, () => conversations.own(event));
    const caller = { chat: seen, cwd, env, columns: 80, color: false, signal: never };
    const waits = name(typed) !== "queue" && name(typed) !== "steer";
    const answer = await runSlash({ ...call, waits }, { ...services, ...caller }, entries);
    if (answer.next?.open !== undefined) await conversations.move(sessionKey, answer.next.open, event);
    const aside = name(typed) === "background" ? asideOf(answer) : undefined;
    if (aside !== undefined) {
      await conversations.adopt(sessionKey, aside, event);
      await deps.background?.(event, aside);
    }
    return worded(name(typed), answer);
  };
}

/** A command that is not built in, and begins a turn. */
async function startsTurn({ services, entries }: CommandDeps, typed: string, place: SlashPlace): Promise<boolean> {
  await services.runtime?.ready?.(place);
  return findRuntimeCommand(typed, listRuntimeCommands(services, entries, place))?.startsTurn === true;
}

/** The conversation that was begun to answer; undefined: none was. */
function asideOf({ data, exit }: SlashAnswer): SessionId | undefined {
  const id: unknown =
    exit === 0 && typeof data === "object" && data !== null ? Reflect.get(data, "session_id") : undefined;
  return typeof id === "string" ? (id as SessionId) : undefined; // the command names a session by its id
}

/** What is asked by an event, and who asks. */
function calledBy({ allowing }: Pick<CommandDeps, "allowing">, event: Inbound) {
  return { text: event.text, origin: originOf(event), member: memberOf(event, allowing(event)) } satisfies SlashCall;
}

/** The own name of what was typed short or by another name; undefined: unknown command. */
export function namer(entries: readonly CommandEntry[]): (typed: string) => string | undefined {
  const slash = entries.filter((entry) => entry.surfaces.includes("slash") && isInChats(entry));
  const names = firstWords(slash);
  const known = new Map<string, string | undefined>();
  const find = (typed: string) => {
    if (typed === "help" || typed === "commands") return typed;
    const [only, ...others] = distinct(matchNames(typed, names), slash);
    if (only === undefined || others.length > 0) return undefined;
    return (commandAt(slash, [only])?.entry.path ?? only).split(" ")[0];
  };
  return (typed) => {
    if (!known.has(typed) && known.size < KEPT) known.set(typed, find(typed));
    return known.get(typed) ?? find(typed);
  };
}

const KEPT = 500;

/**
 * The reply to a user who may not run a command, before anything is done about it, so also before it ends what runs; undefined: it may be run. What
 * depends on the words behind the name is decided where they are read.
 */
export function refusals(deps: Pick<CommandDeps, "entries" | "allowing">): (event: Inbound) => string | undefined {
  const slash = deps.entries.filter((entry) => entry.surfaces.includes("slash") && isInChats(entry));
  const name = namer(deps.entries);
  return (event) => {
    const first = name(commandIn(event) ?? "");
    const entry = first === undefined ? undefined : commandAt(slash, [first])?.entry;
    const refusal = entry && forbidden(entry, {}, calledBy(deps, event));
    return refusal === undefined ? undefined : `⛔ ${refusal}`;
  };
}

/** The signs that chats know these answers by. */
function worded(name: string | undefined, { text, error }: SlashAnswer): string {
  if (error?.code === "E_FORBIDDEN") return `⛔ ${text}`;
  return name === "stop" ? `⚡ ${text}` : text;
}
