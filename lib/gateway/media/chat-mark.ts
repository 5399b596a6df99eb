import { createHash } from "node:crypto";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import { type KeyRules, sessionKeyOf } from "../settings/session-key.js";

/**
 * How names of files begin that came from a chat, so that a turn which works for that chat can find which of the cache are its own without
 * looking anything up. All threads of a direct chat have one, as they have one reader.
 */
export function chatMark(event: Pick<Inbound, "platform" | "source">, rules: KeyRules): string {
  const { source } = event;
  const place = source.chatType === "dm" ? { ...event, source: { ...source, threadId: null } } : event;
  return `in_${createHash("sha256").update(sessionKeyOf(place, rules)).digest("hex").slice(0, 12)}`;
}
