import type { DirectTopics } from "../../../lib/contracts/gateway/platform.js";
import type { Api } from "./api.js";
import type { MsgtSettings } from "./settings.js";
import { MeShape, SentShape, TopicShape } from "./wire.js";

/** Topics of direct chats, by the Bot API. */
export function directTopics(api: Api, settings: MsgtSettings): DirectTopics {
  return {
    flags: async (signal) => {
      const answer = await api.call("getMe", {}, { signal });
      const me = answer.ok ? MeShape.safeParse(answer.result).data : undefined;
      if (me === undefined) return undefined;
      return { enabled: me.has_topics_enabled === true, mayCreate: me.allows_users_to_create_topics ?? null };
    },
    open: async (chatId, { name, text }, signal) => {
      const made = await api.call("createForumTopic", { chat_id: chatId, name }, { signal });
      const thread = made.ok ? TopicShape.safeParse(made.result).data?.message_thread_id : undefined;
      if (thread === undefined) return undefined;
      const sent = await api.call(
        "sendMessage",
        { chat_id: chatId, message_thread_id: thread, text, disable_notification: true },
        { signal },
      );
      const message = sent.ok ? SentShape.safeParse(sent.result).data?.message_id : undefined;
      if (message === undefined) return { threadId: String(thread), messageId: null, pinned: false };
      const pin = { chat_id: chatId, message_id: message, disable_notification: true };
      const pinned = await api.call("pinChatMessage", pin, { signal });
      return { threadId: String(thread), messageId: String(message), pinned: pinned.ok };
    },
    rename: async (chatId, threadId, title, signal) => {
      if (
        !settings.renamesTopics ||
        settings.declaredTopics.some((one) => one.chat === chatId && one.thread === threadId)
      )
        return false;
      const params = { chat_id: chatId, message_thread_id: Number(threadId), name: title };
      return (await api.call("editForumTopic", params, { signal })).ok;
    },
  };
}
