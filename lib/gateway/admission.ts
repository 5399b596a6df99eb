import type { Inbound } from "../proto/gateway.js";
import type { ChatMember } from "../proto/slash.js";
import type { PlatformSettings } from "./settings.js";

/** Settings that decide who may talk: those of the platform, and those of `GATEWAY_`. */
export interface Allowing {
  readonly platform: PlatformSettings;
  readonly all: PlatformSettings;
}

/** Whether the sender of an event may talk to the agent; the first rule that fits decides (gateway part, 8.1). @throws E_CONFIG */
export function isAdmitted(event: Inbound, { platform, all }: Allowing): boolean {
  if (event.internal || event.platform === "webhook" || event.platform === "msgraph") return true;
  const group = event.platform === "msgt" && event.source.chatType !== "dm";
  const groupUsers = group ? platform.list("GROUP_ALLOWED_USERS") : [];
  if (group && names([...platform.list("GROUP_ALLOWED_CHATS"), ...groupUsers.filter(isChat)], [event.source.chatId])) return true;
  const { userId, userIdAlt } = event.source;
  if (userId === null && userIdAlt === null) return false;
  if (platform.flag("ALLOW_ALL_USERS", false)) return true;
  const allowed = allowlist({ platform, all }).concat(groupUsers.filter((one) => !isChat(one)));
  if (allowed.length > 0) return names(allowed, [userId, userIdAlt]);
  return all.flag("ALLOW_ALL_USERS", false);
}

const allowlist = ({ platform, all }: Allowing): readonly string[] => [...platform.list("ALLOWED_USERS"), ...all.list("ALLOWED_USERS")];

/** Identifiers of groups begin with it. */
const isChat = (entry: string): boolean => entry.startsWith("-");

/** Only whole identifiers count; those that are e-mail addresses without regard to case. */
function names(list: readonly string[], ids: readonly (string | null)[]): boolean {
  const same = (entry: string, id: string) => entry === id || (id.includes("@") && entry.toLowerCase() === id.toLowerCase());
  return list.some((entry) => entry === "*" || ids.some((id) => id !== null && same(entry, id)));
}

/** What an admitted sender may do with commands (gateway part, 8.5). @throws E_CONFIG */
export function memberOf({ source }: Inbound, allowing: Allowing): ChatMember {
  const { platform } = allowing;
  const group = source.chatType !== "dm";
  const own = platform.list("ALLOW_ADMIN_FROM");
  const admins = group ? [...platform.list("GROUP_ALLOW_ADMIN_FROM")] : own;
  const list = admins.length > 0 ? admins : own;
  const allows = platform.list(group ? "GROUP_USER_ALLOWED_COMMANDS" : "USER_ALLOWED_COMMANDS");
  const ids = [source.userId, source.userIdAlt];
  if (list.length > 0) return { group, allows, tier: names(list, ids) ? "admin" : "member" };
  const [only, ...others] = allowlist(allowing);
  const single = only !== undefined && only !== "*" && others.length === 0 && names([only], ids);
  return { group, allows, ...(single && { tier: "admin" as const }) };
}
