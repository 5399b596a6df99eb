import type { CommandEntry } from "../../commands/entry.js";
import type { Allowing } from "../../gateway/allowlists.js";
import { commandIn } from "../../gateway/commands.js";
import { memberOf } from "../../gateway/tiers.js";
import type { ChatApi } from "../../proto/chat.js";
import type { Inbound } from "../../proto/gateway.js";
import type { SlashAnswer } from "../../proto/slash.js";
import { runSlash } from "../cli/slash.js";
import type { AppOptions } from "../options.js";
import type { RpcServices } from "../rpc.js";
import { type Conversations, frontOf, originOf } from "./conversations.js";

export interface CommandDeps {
  readonly services: RpcServices;
  readonly entries: readonly CommandEntry[];
  readonly chat: ChatApi;
  readonly conversations: Conversations;
  readonly options: AppOptions;
  readonly allowing: (event: Inbound) => Allowing;
}

/** They show or open conversations of everybody who uses this home. */
const OTHERS: ReadonlySet<string> = new Set(["resume", "switch", "sessions"]);
/** They need no conversation, and make none. */
const WITHOUT: ReadonlySet<string> = new Set(["stop", "status", "help", "commands", "version", "whoami", "topic"]);

/** Runs commands of chats through the one entry that every front end uses, with its guard. */
export function chatCommand(deps: CommandDeps): (event: Inbound, sessionKey: string) => Promise<string> {
  const { services, entries, conversations, options, allowing } = deps;
  return async (event, sessionKey) => {
    const name = commandIn(event) ?? "";
    if (OTHERS.has(name)) return `⛔ /${name} is not there in a chat: it would show the conversations of others.`;
    const known = await conversations.at(sessionKey);
    if (name === "stop" && known === undefined) return "⚡ Nothing was running.";
    const session = WITHOUT.has(name) ? known : await conversations.open(sessionKey, event);
    const { cwd, env } = frontOf(event, options);
    const call = { text: event.text, origin: originOf(event), member: memberOf(event, allowing(event)), session };
    const never = new AbortController().signal;
    const caller = { cwd, env, columns: 80, color: false, signal: never };
    const answer = await runSlash({ ...call, waits: name !== "queue" && name !== "steer" }, { ...services, ...caller }, entries);
    if (answer.next?.open !== undefined) await conversations.move(sessionKey, answer.next.open);
    return worded(name, answer);
  };
}

/** The signs that chats know these answers by. */
function worded(name: string, { text, error }: SlashAnswer): string {
  if (error?.code === "E_FORBIDDEN") return `⛔ ${text}`;
  if (error?.code === "E_USAGE" && text.startsWith("Unknown command")) return `${text}\n/commands lists what there is.`;
  return name === "stop" ? `⚡ ${text}` : text;
}
