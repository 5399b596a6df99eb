import type { SessionId } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { GatewayHooks, HookSource } from "../../contracts/gateway/hooks.js";
import type { RunChatCommand } from "../commands/chat-command.js";
import type { ChatStart, Conversations } from "../conversations/conversations.js";
import { commandIn } from "../router/command-text.js";
import type { Aid, LiveTurn } from "../turns/live-turns.js";

const CHARS = 500;

const sourceOf = ({ platform, source }: Inbound): HookSource => ({
  platform,
  chat_id: source.chatId,
  user_id: source.userId,
});

/** Commands that hooks may refuse, deal with, or replace by another one. */
export const hookedCommands =
  (run: RunChatCommand, hooks: GatewayHooks): RunChatCommand =>
  async (event, key) => {
    const name = commandIn(event);
    if (name === undefined) return run(event, key);
    const args = event.text.replace(/^\S+\s*/, "");
    const made = await hooks.decide(name, args, sourceOf(event));
    if (made === undefined) return run(event, key);
    if (made.decision === "deny") return `⛔ ${made.message ?? `/${name} is not allowed here.`}`;
    if (made.decision === "handled") return made.message ?? "";
    const text = `/${made.command_name ?? name} ${made.raw_args ?? args}`.trimEnd();
    return run({ ...event, text }, key);
  };

const dataOf = (session_id: SessionId, key: string, event?: Inbound) => ({
  session_id,
  key,
  ...(event === undefined ? {} : { source: sourceOf(event) }),
});

/** Tells hooks of conversations that messages begin. */
export const hookBegun =
  (hooks: GatewayHooks) =>
  ({ session, before, sessionKey, event }: ChatStart): void => {
    if (before !== undefined) hooks.tell("session:end", dataOf(before, sessionKey));
    if (before !== undefined) hooks.tell("session:reset", dataOf(session, sessionKey));
    hooks.tell("session:start", dataOf(session, sessionKey, event));
  };

/** Conversations of which hooks are told when a chat goes on in another one. */
export function hookedConversations(plain: Conversations, hooks: GatewayHooks): Conversations {
  return {
    ...plain,
    move: async (key, session, event) => {
      const before = await plain.at(key);
      await plain.move(key, session, event);
      if (before === undefined || before === session) return;
      hooks.tell("session:end", dataOf(before, key));
      hooks.tell("session:reset", dataOf(session, key));
    },
  };
}

/** Tells hooks how a turn goes. */
export const hookAid =
  (hooks: GatewayHooks) =>
  ({ session, event }: LiveTurn): Aid => {
    const common = { session_id: session, source: sourceOf(event) };
    let response = "";
    hooks.tell("agent:start", { ...common, message: event.text.slice(0, CHARS) });
    return {
      on: ({ event: kind, data }) => {
        if (kind === "tool.started") hooks.tell("agent:step", { ...common, tool: String(data["name"]) });
        if (kind === "message.added" && data["role"] === "assistant" && typeof data["content"] === "string")
          response = data["content"];
      },
      stop: (phase) =>
        hooks.tell("agent:end", {
          ...common,
          outcome: phase,
          message: event.text.slice(0, CHARS),
          response: response.slice(0, CHARS),
        }),
    };
  };
