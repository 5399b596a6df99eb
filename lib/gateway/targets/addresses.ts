import type { PlatformTag } from "../../contracts/board/platform-tag.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { Address } from "../../contracts/gateway/targets.js";

/**
 * Reads what stands behind `<platform>:`; the rest after the first colon of a target is the platform's own. Undefined: not an identifier of
 * this platform, perhaps a name.
 */
export function parseAddress(platform: PlatformTag, rest: string): Address | undefined {
  const { chat, thread, between, threadHoldsChat } = traitsOf(platform).address;
  const at = thread === undefined ? -1 : rest.lastIndexOf(between);
  if (thread !== undefined && at > 0) {
    const chatId = rest.slice(0, at);
    const threadId = rest.slice(at + between.length);
    if (isWhole(chat, chatId) && isWhole(thread, threadId))
      return { chatId, threadId: threadHoldsChat ? rest : threadId };
  }
  return isWhole(chat, rest) ? { chatId: rest, threadId: null } : undefined;
}

const isWhole = (pattern: string, text: string): boolean => new RegExp(`^(?:${pattern})$`).test(text);

/** Form of an identifier of the platform, shown after a mistyped one. */
export const describeAddress = (platform: PlatformTag): string => `${platform}:${traitsOf(platform).address.form}`;

/** How an address is written so that the parser of its platform reads it again. */
export function writeAddress(platform: PlatformTag, { chatId, threadId }: Address): string {
  const { between, threadHoldsChat } = traitsOf(platform).address;
  if (threadId === null) return `${platform}:${chatId}`;
  return threadHoldsChat ? `${platform}:${threadId}` : `${platform}:${chatId}${between}${threadId}`;
}
