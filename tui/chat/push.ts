import { withoutOldest } from "./history.js";
import type { ChatItem, ChatState, ToolItem } from "./state.js";

/** One item more at the end. While the end is not loaded it will be read with the rest. */
export function pushItem(chat: ChatState, item: ChatItem): ChatState {
  if (chat.newer !== "no") return chat;
  return withoutOldest({ ...chat, items: [...chat.items, item] });
}

/** A line between the messages. */
export function pushNote(
  chat: ChatState,
  told: string,
  level: "info" | "warning" | "error" = "info",
  rule?: string,
): ChatState {
  const made = chat.made + 1;
  return pushItem(
    { ...chat, made },
    { kind: "notice", key: `n${made}`, text: told, level, ...(rule === undefined ? {} : { rule }) },
  );
}

/** Change the newest call with this id: the ids of some servers come again with each answer. */
export function withCall(chat: ChatState, callId: string, change: (item: ToolItem) => ToolItem): ChatState {
  const at = chat.items.findLastIndex((item) => item.kind === "tool" && item.callId === callId);
  return at < 0
    ? chat
    : { ...chat, items: chat.items.map((item, place) => (place === at && item.kind === "tool" ? change(item) : item)) };
}
