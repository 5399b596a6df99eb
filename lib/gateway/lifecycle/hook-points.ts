import type { SessionId } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { GatewayHooks, HookSource } from "../../contracts/gateway/hooks.js";
import type { CommandSteps } from "../commands/command-steps.js";
import type { ConversationSteps } from "../conversations/conversation-steps.js";
import type { ChatStart } from "../conversations/conversations.js";
import { commandIn } from "../router/command-text.js";
import type { LiveTurn, TurnObserver } from "../turns/live-turns.js";

const CHARS = 500;

const sourceOf = ({ platform, source }: Inbound): HookSource => ({
  platform,
  chat_id: source.chatId,
  user_id: source.userId,
});

/** Hooks may refuse a command, deal with it, or replace it by another one. */
export const hookCommands =
  (hooks: GatewayHooks): CommandSteps["hooks"] =>
  async (event) => {
    const name = commandIn(event);
    if (name === undefined) return { event };
    const args = event.text.replace(/^\S+\s*/, "");
    const made = await hooks.decide(name, args, sourceOf(event));
    if (made === undefined) return { event };
    if (made.decision === "deny") return { answer: `⛔ ${made.message ?? `/${name} is not allowed here.`}` };
    if (made.decision === "handled") return { answer: made.message ?? "" };
    const text = `/${made.command_name ?? name} ${made.raw_args ?? args}`.trimEnd();
    return { event: { ...event, text } };
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

/** Tells hooks that a chat goes on in another conversation. */
export const hookMoved =
  (hooks: GatewayHooks): ConversationSteps["moved"] =>
  (sessionKey, { before, session }) => {
    if (before === undefined || before === session) return;
    hooks.tell("session:end", dataOf(before, sessionKey));
    hooks.tell("session:reset", dataOf(session, sessionKey));
  };

/** Tells hooks how a turn goes. */
export const hookAid =
  (hooks: GatewayHooks) =>
  ({ session, event }: LiveTurn): TurnObserver => {
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
