import type { Inbound } from "../proto/gateway.js";
import type { ChatMember } from "../proto/slash.js";
import { type Allowing, allowedUsers, idsOf, names } from "./allowlists.js";

/** What an admitted sender may do with commands (gateway part, 8.5). @throws E_CONFIG */
export function memberOf(event: Pick<Inbound, "platform" | "source">, allowing: Allowing): ChatMember {
  const { platform } = allowing;
  const tag = event.platform;
  const group = event.source.chatType !== "dm";
  const own = platform.list("ALLOW_ADMIN_FROM");
  const admins = group ? [...platform.list("GROUP_ALLOW_ADMIN_FROM")] : own;
  const list = admins.length > 0 ? admins : own;
  const allows = platform.list(group ? "GROUP_USER_ALLOWED_COMMANDS" : "USER_ALLOWED_COMMANDS");
  if (list.length > 0) return { group, allows, tier: names(list, tag, idsOf(event)) ? "admin" : "member" };
  const [only, ...others] = allowedUsers(allowing);
  if (only === undefined || only === "*" || others.length > 0) return { group, allows };
  return { group, allows, ...(names([only], tag, idsOf(event)) ? { tier: "admin" as const } : { admins: true }) };
}
