import { AppError } from "../../base/errors.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { KnownTarget, MessagesApi } from "../../contracts/gateway/messages.js";
import type { ToolContext } from "../core/define.js";

/**
 * Chats as the user that the call works for may write to them: his own one. Others are not named, and no target of theirs is found, whether or not there
 * is one.
 */
export function toOwnChat(messages: MessagesApi, ctx: Pick<ToolContext, "reach">): MessagesApi {
  const limits = ctx.reach?.limits();
  if (limits === undefined) return messages;
  const { chat, home } = limits;
  return {
    targets: () => Promise.resolve([targetOf(chat)]),
    send: async (message, signal) => {
      refuseOthers(message.target, chat);
      return messages.send({ ...message, target: "origin", origin: chat, view: home }, signal);
    },
    react: async (reaction, signal) => {
      refuseOthers(reaction.target, chat);
      return messages.react({ ...reaction, target: "origin", origin: chat }, signal);
    },
  };
}

const addressOf = ({ platform, chat_id }: ChatOrigin): string => `${platform}:${chat_id}`;

const targetOf = (chat: ChatOrigin): KnownTarget => ({
  target: addressOf(chat),
  name: chat.chat_name ?? chat.user_name ?? "this chat",
  type: chat.chat_type ?? "group",
  guild: null,
  home: false,
});

function refuseOthers(target: string, chat: ChatOrigin): void {
  const own = addressOf(chat).toLowerCase();
  const named = target.trim().toLowerCase();
  if (named === "origin" || named === own || (chat.thread_id && named === `${own}:${chat.thread_id}`.toLowerCase()))
    return;
  throw new AppError("E_FORBIDDEN", "this conversation works for a member of a chat: it writes to that chat only", {
    hint: "target origin is this chat; what is meant for others is sent by the owner of this home",
  });
}
