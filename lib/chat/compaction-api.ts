import { AppError } from "../base/errors.js";
import type { SessionId } from "../base/units.js";
import type { CompactApi } from "../contracts/chat/compact.js";
import type { Lane } from "./lanes/lane.js";

const MOST_EXCHANGES = 100;

/** Compaction that people ask for; each conversation by its lane. */
export function compactApi(lane: (id: SessionId) => Promise<Lane>): CompactApi {
  return {
    compact: async (id, { focus, keep } = {}) => {
      if (keep !== undefined && !(Number.isInteger(keep) && keep >= 1 && keep <= MOST_EXCHANGES))
        throw new AppError("E_INVALID", `${keep} exchanges cannot be kept`, {
          hint: `give a whole number from 1 to ${MOST_EXCHANGES}`,
        });
      const wish = {
        ...(focus === undefined || focus.trim() === "" ? {} : { focus }),
        ...(keep === undefined ? {} : { keep }),
      };
      return (await lane(id)).within((conversation, signal) => conversation.compact(wish, signal));
    },
    compactUndo: async (id) => (await lane(id)).within((conversation) => conversation.uncompact()),
  };
}
