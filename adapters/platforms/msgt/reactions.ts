import type { Receipt } from "../../../lib/contracts/gateway/outbox.js";
import type { Platform, TurnPhase } from "../../../lib/contracts/gateway/platform.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import type { Answer, Api } from "./api.js";
import type { MsgtSettings } from "./settings.js";

/** A reaction is worth no long wait. */
const REACT_MS = 5000;
/** What a draft shows at most. */
const DRAFT_CHARS = 4096;

const SHOWN: Readonly<Record<TurnPhase, string | undefined>> = {
  begun: "👀",
  answered: "👍",
  failed: "👎",
  stopped: undefined,
};

/** Reactions to messages and drafts of answers; nothing of it is a message. */
export function sideSigns(api: Api, settings: MsgtSettings): Required<Pick<Platform, "onTurn" | "react" | "draft">> {
  const set = (chatId: string, messageId: string, emoji: string | undefined, signal: AbortSignal): Promise<Answer> => {
    const reaction = emoji === undefined ? [] : [{ type: "emoji", emoji }];
    const params = { chat_id: chatId, message_id: Number(messageId), reaction };
    return api.call("setMessageReaction", params, { signal, totalMs: REACT_MS });
  };
  return {
    onTurn: async ({ kind, source }, phase, signal) => {
      if (!settings.reactions || kind !== "message" || source.chatId === null || source.messageId === null) return;
      await set(source.chatId, source.messageId, SHOWN[phase], signal);
    },
    react: async (chatId, messageId, { emoji, on }, signal) =>
      said(await set(chatId, messageId, on ? emoji : undefined, signal)),
    draft: async ({ chatId, threadId }, draftId, text, signal) => {
      const thread = threadId === null ? {} : { message_thread_id: Number(threadId) };
      const shown = text.slice(0, DRAFT_CHARS).replace(/[\ud800-\udbff]$/, "");
      return said(
        await api.call("sendMessageDraft", { chat_id: chatId, ...thread, draft_id: draftId, text: shown }, { signal }),
      );
    },
  };
}

const said = (answer: Answer): Receipt => toReceipt(answer.ok ? { saw: "accepted", messageId: null } : answer.seen);
