import type { SessionId } from "../../../base/units.js";
import { commandIn } from "../../../gateway/commands.js";
import type { Inbound } from "../../../proto/gateway.js";
import type { GatewayHooks, HookSource } from "../../../proto/gateway-hooks.js";
import type { Run } from "../commands.js";
import type { Conversations } from "../conversations.js";
import type { Aid, LiveTurn } from "../turn/live.js";

const CHARS = 500;

export const sourceOf = ({ platform, source }: Inbound): HookSource => ({ platform, chat_id: source.chatId, user_id: source.userId });

/** Commands that hooks may refuse, deal with, or replace by another one. */
export const hookedCommands =
  (run: Run, hooks: GatewayHooks): Run =>
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

/** Conversations whose beginning and end hooks are told of. */
export function hookedConversations(plain: Conversations, hooks: GatewayHooks): Conversations {
  const data = (session_id: SessionId, key: string, event?: Inbound) => ({
    ...{ session_id, key },
    ...(event === undefined ? {} : { source: sourceOf(event) }),
  });
  return {
    ...plain,
    open: async (key, event) => {
      const before = hooks.wants("session:start") ? await plain.at(key) : undefined;
      const session = await plain.open(key, event);
      if (session !== before) hooks.tell("session:start", data(session, key, event));
      return session;
    },
    move: async (key, session, event) => {
      const before = await plain.at(key);
      await plain.move(key, session, event);
      if (before === undefined || before === session) return;
      hooks.tell("session:end", data(before, key));
      hooks.tell("session:reset", data(session, key));
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
        if (kind === "message.added" && data["role"] === "assistant" && typeof data["content"] === "string") response = data["content"];
      },
      stop: (phase) =>
        hooks.tell("agent:end", { ...common, outcome: phase, message: event.text.slice(0, CHARS), response: response.slice(0, CHARS) }),
    };
  };
