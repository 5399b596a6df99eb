import type { Store } from "../../../storage/store.js";
import {
  entriesOf,
  entryAt,
  entryOfSession,
  type GatewayEntry,
  keyOfLineage,
} from "../../../storage/tables/gateway/sessions.js";
import { isRecord, jsonOf } from "../../base/json/record.js";
import { toIso } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type {
  ChatConversation,
  ChatConversationsApi,
  ConversationFilter,
} from "../../contracts/gateway/conversations.js";

/** Entries that are searched. */
const SEARCHED = 2000;

/** The conversations of chats, read from the store. @param there undefined: this home has no store yet */
export function conversationMethods(
  there: () => Promise<Store | undefined>,
  chat: Pick<ChatApi, "get">,
): ChatConversationsApi {
  return {
    conversations: async (filter) => {
      const store = await there();
      return store === undefined ? [] : findConversations(store, filter);
    },
    conversation: async (sessionKey) => {
      const entry = await (await there())?.read((q) => entryAt(q, sessionKey));
      return entry && toConversation(entry);
    },
    conversationOf: async (session) => {
      const store = await there();
      if (store === undefined) return undefined;
      const root = (await chat.get(session))?.lineage_root ?? session;
      const entry = await store.read(async (q) => {
        const direct = await entryOfSession(q, session);
        if (direct !== undefined) return direct;
        const key = await keyOfLineage(q, root); // a segment before a compaction no longer belongs to an entry
        return key === undefined ? undefined : entryAt(q, key);
      });
      return entry && toConversation(entry);
    },
  };
}

async function findConversations(
  store: Store,
  { platform, search, limit }: ConversationFilter,
): Promise<readonly ChatConversation[]> {
  const rows = await store.read((q) => entriesOf(q, platform, search === undefined ? limit : SEARCHED));
  const all = rows.flatMap((row) => toConversation(row) ?? []);
  const wanted = search?.toLowerCase();
  return all.filter((one) => wanted === undefined || searchedText(one).includes(wanted)).slice(0, limit);
}

const searchedText = ({ session_key, display_name, chat_name, user_name }: ChatConversation): string =>
  [session_key, display_name, chat_name, user_name].join("\n").toLowerCase();

/** Undefined: no message came to it yet. */
function toConversation(entry: GatewayEntry): ChatConversation | undefined {
  const { session_key, session_id, platform, chat_type, display_name, origin, updated_at } = entry;
  if (platform === null || chat_type === null) return undefined;
  const source = jsonOf(origin ?? "");
  const name = (key: string) => {
    const value = isRecord(source) ? source[key] : undefined;
    return typeof value === "string" ? value : null;
  };
  return {
    session_key,
    session_id,
    platform,
    chat_type,
    display_name,
    chat_name: name("chatName"),
    user_name: name("userName"),
    updated_at: toIso(updated_at),
  };
}
