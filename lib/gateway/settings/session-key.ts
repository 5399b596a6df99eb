import type { Inbound } from "../../contracts/board/platform-tag.js";

export interface KeyRules {
  /** `group_sessions_per_user`. */
  readonly perUser: boolean;
  /** `thread_sessions_per_user`. */
  readonly perUserInThread: boolean;
}

/** Which conversation an event belongs to (gateway part, 7.1). No code takes a key apart. */
export function sessionKeyOf(event: Pick<Inbound, "platform" | "source">, rules: KeyRules): string {
  const { chatId, chatType, threadId, userId, userIdAlt } = event.source;
  const user = userIdAlt ?? userId;
  if (chatType === "dm") {
    const place = chatId === null ? [userIdAlt ?? userId ?? threadId] : [chatId, threadId];
    return joined([event.platform, "dm", ...place]);
  }
  if (threadId !== null)
    return joined([event.platform, chatType, chatId, threadId, rules.perUserInThread ? user : null]);
  return joined([event.platform, chatType, chatId, rules.perUser ? user : null]);
}

/** More than one person talks in it: the model has to learn who says what. */
export function isShared({ source }: Pick<Inbound, "source">, rules: KeyRules): boolean {
  if (source.chatType === "dm") return false;
  return source.threadId !== null ? !rules.perUserInThread : !rules.perUser;
}

const joined = (parts: readonly (string | null)[]): string =>
  [
    "agent",
    "main",
    ...parts.flatMap((part) => (part === null ? [] : [part.replaceAll("%", "%25").replaceAll(":", "%3A")])),
  ].join(":");
