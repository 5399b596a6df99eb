import type { Ms } from "../../../lib/base/units.js";
import type { Inlet } from "../../../lib/contracts/board/platform-tag.js";
import { isAfter, messagesOf } from "./history.js";
import type { ReceiveParts } from "./parts.js";
import type { Dispatch } from "./session.js";

const DAY_MS: Ms = 86_400_000;
const CHATS = 20;
const MESSAGES = "50";

export interface CatchUpParts extends ReceiveParts {
  readonly inlet: Pick<Inlet, "recent">;
  readonly push: (dispatch: Dispatch) => void;
}

/** The platform keeps no queue: after a new session what was written meanwhile is read in chats that were used lately (gateway part, 5.5). */
export async function catchUp(parts: CatchUpParts): Promise<void> {
  const { inlet, settings, clock } = parts;
  const account = { platform: "msgd", account: settings.account } as const;
  const chats = (await inlet.recent?.(account, clock.now() - 7 * DAY_MS)) ?? [];
  const wanted = chats.filter(({ chatType, threadId }) => chatType === "dm" || threadId !== null).slice(0, CHATS);
  for (const { chatId, threadId, eventIds } of wanted) {
    const after = eventIds
      .filter((id) => /^\d+$/.test(id))
      .sort((a, b) => (isAfter(a, b) ? 1 : -1))
      .at(-1);
    if (after === undefined || parts.signal.aborted) continue;
    const found = await messagesOf(parts, threadId ?? chatId, { limit: MESSAGES, after });
    // Messages that are read, not told, do not say which server they are of.
    const place = await parts.channels.find(threadId ?? chatId, parts.signal);
    const guild = typeof place === "string" || place.guildId === null ? {} : { guild_id: place.guildId };
    for (const one of found ?? [])
      parts.push({ session: "", seq: 0, type: "MESSAGE_CREATE", data: { ...one, ...guild } });
  }
}
