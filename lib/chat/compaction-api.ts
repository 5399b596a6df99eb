import { AppError } from "../base/errors.js";
import type { SessionId } from "../base/units.js";
import type { CompactApi } from "../contracts/chat/compact.js";
import type { SessionActor } from "./session-actor/session-actor.js";

const MOST_EXCHANGES = 100;

/** Compaction that people ask for; each conversation by its actor. */
export function compactApi(actor: (id: SessionId) => Promise<SessionActor>): CompactApi {
  return {
    compact: async (id, { focus, keep } = {}) => {
      if (keep !== undefined && !(Number.isInteger(keep) && keep >= 1 && keep <= MOST_EXCHANGES))
        throw new AppError("E_INVALID", `cannot keep ${keep} exchanges`, {
          hint: `use a whole number from 1 to ${MOST_EXCHANGES}`,
        });
      const wish = {
        ...(focus === undefined || focus.trim() === "" ? {} : { focus }),
        ...(keep === undefined ? {} : { keep }),
      };
      return (await actor(id)).within((conversation, signal) => conversation.compact(wish, signal));
    },
    compactUndo: async (id) => (await actor(id)).within((conversation) => conversation.uncompact()),
  };
}
