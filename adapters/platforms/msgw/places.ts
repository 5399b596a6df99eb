import { createHash } from "node:crypto";
import type { Account, Cursor, Inlet } from "../../../lib/contracts/board/platform-tag.js";

/** Where conversations are, so that something can be sent to them unasked, also after a restart. */
export interface Places {
  /** Address of the service of a chat; undefined: it was never seen. */
  of(chatId: string): Promise<string | undefined>;
  /** What is to be stored because a chat is elsewhere than known; undefined: nothing. */
  moved(chatId: string, serviceUrl: string): Promise<Cursor | undefined>;
  /** It is stored. */
  note(chatId: string, serviceUrl: string): void;
}

const KEPT = 1000;

export function createPlaces(inlet: Pick<Inlet, "cursor">, account: Account): Places {
  const known = new Map<string, string>();
  const note = (chatId: string, url: string) => {
    known.delete(chatId);
    known.set(chatId, url);
    const [oldest] = known.keys();
    if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  };
  const of = async (chatId: string) => {
    const found = known.get(chatId) ?? (await inlet.cursor(account, nameOf(chatId)));
    if (found !== undefined) note(chatId, found);
    return found;
  };
  return {
    of,
    note,
    moved: async (chatId, value) =>
      (await of(chatId)) === value ? undefined : { ...account, name: nameOf(chatId), value },
  };
}

/** Ids of conversations may be long. */
const nameOf = (chatId: string): string => `service:${createHash("sha256").update(chatId).digest("hex").slice(0, 32)}`;
