import type { PlatformTag } from "../../contracts/board/platform-tag.js";
import type { Address } from "../../contracts/gateway/targets.js";

/** Reads what stands behind `<platform>:`; undefined: it is no identifier of this platform, perhaps a name. */
export type AddressParser = (rest: string) => Address | undefined;

/** A chat, and after a colon perhaps a thread. */
const pair = (chat: string, thread: string): AddressParser => {
  const form = new RegExp(`^(${chat})(?::(${thread}))?$`);
  return (rest) => {
    const found = form.exec(rest);
    return found?.[1] === undefined ? undefined : { chatId: found[1], threadId: found[2] ?? null };
  };
};

const MESSAGE = ";messageid=";

/** How each platform names its chats (gateway part, 13.2). Whatever stands behind the first colon of a target is the platform's own. */
export const ADDRESSES: Readonly<Record<PlatformTag, AddressParser>> = {
  msgt: pair("-?[0-9]+|@[A-Za-z0-9_]+", "[0-9]+"),
  msgd: pair("[0-9]+", "[0-9]+"),
  msgl: pair("[UCR][0-9A-Fa-f]{32}", "(?!)"),
  msgf: pair("o[cun]_[A-Za-z0-9_-]+", "[^\\s:]+"),
  msgg: (rest) => {
    const found = /^(spaces\/[^/\s]+)(?:\/threads\/[^/\s]+)?$/.exec(rest);
    return found?.[1] === undefined ? undefined : { chatId: found[1], threadId: found[1] === rest ? null : rest };
  },
  msgw: (rest) => {
    const at = rest.lastIndexOf(MESSAGE);
    const thread = at < 0 ? "" : rest.slice(at + MESSAGE.length);
    if (rest === "" || at === 0) return undefined;
    return thread === "" ? { chatId: rest, threadId: null } : { chatId: rest.slice(0, at), threadId: thread };
  },
  msgx: (rest) => (rest === "" ? undefined : { chatId: rest, threadId: null }),
};

/** What an identifier of each platform looks like, for whoever mistyped one. */
export const ADDRESS_FORMS: Readonly<Record<PlatformTag, string>> = {
  msgt: "msgt:<chat>[:<thread>], chat -100123 or @name",
  msgd: "msgd:<channel>[:<thread>], digits",
  msgl: "msgl:U..., C... or R... with 32 hex digits",
  msgf: "msgf:oc_..., ou_... or on_...[:<thread>]",
  msgg: "msgg:spaces/<id>[/threads/<id>]",
  msgw: "msgw:<conversation id>[;messageid=<id>]",
  msgx: "msgx:<user or group id>",
};

/** How an address is written so that the parser of its platform reads it again. */
export function writeAddress(platform: PlatformTag, { chatId, threadId }: Address): string {
  if (threadId === null) return `${platform}:${chatId}`;
  if (platform === "msgg") return `${platform}:${threadId}`;
  return platform === "msgw" ? `${platform}:${chatId}${MESSAGE}${threadId}` : `${platform}:${chatId}:${threadId}`;
}
