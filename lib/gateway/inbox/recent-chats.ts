import type { SeenRow } from "../../../storage/tables/gateway/inbox.js";
import type { RecentChat } from "../../contracts/board/platform-tag.js";

const EVENTS = 50;

/** The chats of events, each with its latest. @param rows the latest first */
export function recentChats(rows: readonly SeenRow[]): readonly RecentChat[] {
  const found = new Map<string, RecentChat>();
  for (const { chat_id: chatId, thread_id: threadId, chat_type: chatType, event_id: event } of rows) {
    if (chatId === null) continue;
    const key = JSON.stringify([chatId, threadId]);
    const { eventIds = [] } = found.get(key) ?? {};
    if (eventIds.length < EVENTS) found.set(key, { chatId, threadId, chatType, eventIds: [...eventIds, event] });
  }
  return [...found.values()];
}
