import type { Ms } from "../../../lib/base/units.js";
import type { ChatInfo } from "../../../lib/contracts/gateway/platform.js";
import type { Api } from "./api.js";
import { contentOf } from "./content.js";
import { ChatShape, MessagesShape } from "./wire.js";

/** What is known of chats and messages, asked where it is not. */
export interface Chats {
  learn(chat: string, type: string): void;
  /** `p2p` or `group`; `group` when it is unknown, for its rules are the stricter ones. */
  typeOf(chat: string, signal: AbortSignal): Promise<string>;
  info(chat: string, signal: AbortSignal): Promise<ChatInfo | undefined>;
  /** Text of a message; undefined when it cannot be had in time. */
  textOf(message: string, signal: AbortSignal): Promise<string | undefined>;
}

/** An event waits for an answer no longer: the platform waits 3 s for its acknowledgement. */
const ASK_MS: Ms = 1000;
const KNOWN = 2000;

export function createChats(api: Api): Chats {
  const types = new Map<string, string>();
  const learn = (chat: string, type: string) => {
    if (types.size >= KNOWN) types.clear();
    types.set(chat, type === "p2p" ? "p2p" : "group");
  };
  const ask = async (chat: string, signal: AbortSignal, totalMs?: Ms) => {
    const limit = totalMs === undefined ? {} : { totalMs };
    const answer = await api.call({
      method: "GET",
      path: `/open-apis/im/v1/chats/${encodeURIComponent(chat)}`,
      signal,
      ...limit,
    });
    return answer.ok ? ChatShape.safeParse(answer.data).data : undefined;
  };
  return {
    learn,
    typeOf: async (chat, signal) => {
      const found = types.has(chat) ? undefined : await ask(chat, signal, ASK_MS);
      if (found !== undefined) learn(chat, found.chat_mode);
      return types.get(chat) ?? "group";
    },
    info: async (chat, signal) => {
      const found = await ask(chat, signal);
      return found && { chatId: chat, name: found.name || chat, type: found.chat_mode };
    },
    textOf: async (message, signal) => {
      const path = `/open-apis/im/v1/messages/${encodeURIComponent(message)}`;
      const answer = await api.call({ method: "GET", path, signal, totalMs: ASK_MS });
      const [found] = (answer.ok ? MessagesShape.safeParse(answer.data).data?.items : undefined) ?? [];
      return found === undefined ? undefined : contentOf(found.msg_type, found.body.content, message).text || undefined;
    },
  };
}
