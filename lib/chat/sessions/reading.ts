import type { Store } from "../../../storage/store.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import { findLeftMessages } from "../transcript/transcript-recovery.js";
import type { SessionStores } from "./books.js";
import { exportLineage } from "./export.js";

/**
 * The messages of sessions.
 *
 * @param ownerEnded this process only reads, and the owner that has written is gone: calls that it left open are shown as interrupted
 */
export function readMessages(
  books: SessionStores,
  ownerEnded: () => boolean = () => false,
): Pick<ChatApi, "messages" | "export"> {
  const left = async (store: Store, id: SessionId) => (ownerEnded() ? findLeftMessages(store, id) : []);
  return {
    messages: async (id, page) => {
      const { store, sessions } = await books.of(id);
      const found = await sessions.messages(id, page);
      return page?.before === undefined ? [...found, ...(await left(store, id))] : found;
    },
    export: async function* (id, format) {
      const { store } = await books.of(id);
      yield* exportLineage(store, id, format, (segment) => left(store, segment));
    },
  };
}
