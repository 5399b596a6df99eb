import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatMember } from "../../contracts/chat/slash.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import { type Allowing, allowedRoles, allowedUsers, groupLists, idsOf, matchesAllowlist } from "./allowlists.js";

/** What an admitted sender may do with commands (gateway part, 8.5). @throws E_CONFIG */
export function memberOf(event: Pick<Inbound, "platform" | "source">, allowing: Allowing): ChatMember {
  const { platform } = allowing;
  const tag = event.platform;
  const group = event.source.chatType !== "dm";
  const own = platform.list("ALLOW_ADMIN_FROM");
  const admins = group ? [...platform.list("GROUP_ALLOW_ADMIN_FROM")] : own;
  const list = admins.length > 0 ? admins : own;
  const allows = platform.list(group ? "GROUP_USER_ALLOWED_COMMANDS" : "USER_ALLOWED_COMMANDS");
  if (list.length > 0) return { group, allows, tier: matchesAllowlist(list, tag, idsOf(event)) ? "admin" : "member" };
  const [only, ...others] = allowedUsers(allowing);
  if (only === undefined || only === "*" || others.length > 0) return { group, allows };
  return {
    group,
    allows,
    ...(matchesAllowlist([only], tag, idsOf(event)) ? { tier: "admin" as const } : { admins: true }),
  };
}

/** One person alone may talk on the platform, wherever that is. @throws E_CONFIG */
function isAlone(tag: string, allowing: Allowing): boolean {
  const { platform, all } = allowing;
  const { users, chats } = groupLists(tag, allowing);
  const listed = new Set(allowedUsers(allowing));
  const others =
    [...users, ...chats, ...allowedRoles(tag, allowing)].length > 0 ||
    (platform.text("ALLOW_BOTS") ?? "none") !== "none";
  const open =
    listed.has("*") ||
    platform.flag("ALLOW_ALL_USERS", false) ||
    (listed.size === 0 && all.flag("ALLOW_ALL_USERS", false));
  return traitsOf(tag).listsDecide && !others && !open && listed.size === 1;
}

/**
 * Whether a conversation may start programs where the settings say nothing of it: for an admin, and on a platform without any for everybody in a
 * direct chat, as with commands of the owner (gateway part, 8.5). Where several people share it, for the only one who may talk at all.
 *
 * @throws E_CONFIG
 */
export function startsPrograms(
  event: Pick<Inbound, "platform" | "source">,
  allowing: Allowing,
  shared: boolean,
): boolean {
  const { group, tier, admins } = memberOf(event, allowing);
  if (shared) return tier === "admin" && isAlone(event.platform, allowing);
  return tier === undefined && admins !== true ? !group : tier === "admin";
}
