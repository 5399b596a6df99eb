import type { Inbound } from "../../contracts/board/platform-tag.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { PlatformSettings } from "../settings/platform-settings.js";

/** Settings that decide who may talk: those of the platform, and those of `GATEWAY_`. */
export interface Allowing {
  readonly platform: PlatformSettings;
  readonly all: PlatformSettings;
}

/** Users of a platform by the lists of `<TAG>_ALLOWED_USERS` and `GATEWAY_ALLOWED_USERS`. @throws E_CONFIG */
export const allowedUsers = ({ platform, all }: Allowing): readonly string[] => [
  ...platform.list("ALLOWED_USERS"),
  ...all.list("ALLOWED_USERS"),
];

/** Lists that only some platforms have. @throws E_CONFIG */
export interface GroupLists {
  /** Members who may talk in groups. */
  readonly users: readonly string[];
  /** Groups in which everybody may talk. */
  readonly chats: readonly string[];
  /** Chats that stand among the users: an older way to write it. */
  readonly misplaced: readonly string[];
}

/** @throws E_CONFIG */
export function groupLists(tag: string, { platform }: Allowing): GroupLists {
  const lists = traitsOf(tag).groupLists;
  if (lists === undefined) return { users: [], chats: [], misplaced: [] };
  const isChat = (entry: string) => entry.startsWith(lists.chatsBegin);
  const listed = platform.list("GROUP_ALLOWED_USERS");
  const misplaced = listed.filter(isChat);
  return {
    users: listed.filter((one) => !isChat(one)),
    chats: [...platform.list("GROUP_ALLOWED_CHATS"), ...misplaced],
    misplaced,
  };
}

/** Roles of a guild whose members may talk. @throws E_CONFIG */
export const allowedRoles = (tag: string, { platform }: Allowing): readonly string[] =>
  traitsOf(tag).roleLists ? platform.list("ALLOWED_ROLES") : [];

/** Both identifiers of a sender. */
export const idsOf = ({ source }: Pick<Inbound, "source">): readonly (string | null)[] => [
  source.userId,
  source.userIdAlt,
];

const ADDRESS = /^[^@\s]+@[^@\s]+\.[^@\s]+$/;

/** How an identifier is compared: whole, e-mail addresses without regard to case. */
export const comparable = (platform: string, id: string): string =>
  ADDRESS.test(id) && !traitsOf(platform).idsByCase ? id.toLowerCase() : id;

/** Whether a list names one of these identifiers, or everybody. */
export function matchesAllowlist(list: readonly string[], platform: string, ids: readonly (string | null)[]): boolean {
  const known = new Set(ids.flatMap((id) => (id === null ? [] : [comparable(platform, id)])));
  return list.some((entry) => entry === "*" || known.has(comparable(platform, entry)));
}
