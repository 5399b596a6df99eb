import type { Inbound } from "../../contracts/board/platform-tag.js";
import { type Allowing, allowedRoles, allowedUsers, groupLists, idsOf, names } from "./allowlists.js";

/** `if-paired`: there is no list, and who is paired may talk. */
export type SenderDecision = "allow" | "deny" | "if-paired";

/** Whether the sender of an event may talk to the agent; the first rule that fits decides (gateway part, 8.1). @throws E_CONFIG */
export function decideSender(event: Inbound, allowing: Allowing): SenderDecision {
  const { platform: tag, source, decided } = event;
  const { platform, all } = allowing;
  if (event.internal || tag === "webhook" || tag === "msgraph") return "allow";
  if (decided === "allow" || decided === "deny") return decided;
  const group = source.chatType !== "dm";
  const lists = groupLists(tag, allowing);
  if (group && source.chatId !== null && names(lists.chats, tag, [source.chatId])) return "allow";
  const ids = idsOf(event);
  if (ids.every((id) => id === null)) return "deny";
  if (platform.flag("ALLOW_ALL_USERS", false) || decided === "bot" || decided === "role") return "allow";
  const listed = [...allowedUsers(allowing), ...(group ? lists.users : [])];
  if (listed.length > 0 || allowedRoles(tag, allowing).length > 0) return names(listed, tag, ids) ? "allow" : "deny";
  return all.flag("ALLOW_ALL_USERS", false) ? "allow" : "if-paired";
}

/** Whether a list of people says who may talk on a platform, wherever: strangers are then not asked to pair. @throws E_CONFIG */
export function isListed(tag: string, allowing: Allowing): boolean {
  return [...allowedUsers(allowing), ...allowedRoles(tag, allowing), ...groupLists(tag, allowing).users].length > 0;
}
