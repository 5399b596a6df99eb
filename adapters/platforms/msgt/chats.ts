import type { Platform } from "../../../lib/contracts/gateway/platform.js";
import type { Api } from "./api.js";
import { ChatShape, TopicShape } from "./wire.js";

const TYPING_MS = 1500;
const TITLE_CHARS = 128;

/** What an adapter does beside messages. Typing is best effort: its errors are not reported. */
export function chatAids(api: Api): Required<Pick<Platform, "typing" | "createThread" | "chatInfo">> {
  return {
    typing: async (chatId, on, signal) => {
      // It ends by itself, or with the next message.
      if (on) await api.call("sendChatAction", { chat_id: chatId, action: "typing" }, { signal, totalMs: TYPING_MS });
    },
    createThread: async (chatId, name, signal) => {
      const answer = await api.call(
        "createForumTopic",
        { chat_id: chatId, name: name.slice(0, TITLE_CHARS) },
        { signal },
      );
      const id = answer.ok ? TopicShape.safeParse(answer.result).data?.message_thread_id : undefined;
      return id === undefined ? null : String(id);
    },
    chatInfo: async (chatId, signal) => {
      const answer = await api.call("getChat", { chat_id: chatId }, { signal });
      const chat = answer.ok ? ChatShape.safeParse(answer.result).data : undefined;
      if (chat === undefined) return undefined;
      const name =
        chat.title ?? ([chat.first_name, chat.last_name].filter(Boolean).join(" ") || (chat.username ?? chatId));
      return { chatId: String(chat.id), name, type: chat.type };
    },
  };
}
