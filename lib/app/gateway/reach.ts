import type { Store } from "../../../storage/store.js";
import { conversationsOf, conversationsUnder } from "../../../storage/tables/gateway-sessions.js";
import { GATEWAY } from "../../gateway/keys.js";
import { isShared, sessionKeyOf } from "../../gateway/session-key.js";
import { memberOf } from "../../gateway/tiers.js";
import type { ChatOrigin } from "../../proto/board-notify.js";
import type { NewSession } from "../../proto/chat.js";
import type { Inbound } from "../../proto/gateway.js";
import type { Reach } from "../../proto/recall.js";
import type { AppOptions } from "../options.js";
import { allowingBy } from "./access.js";
import { OWN_AT_MOST, userIds } from "./conversations.js";

export interface ReachDeps extends Pick<AppOptions, "config"> {
  readonly store: () => Promise<Store>;
}

type Place = Pick<Inbound, "platform" | "source">;

/**
 * What a conversation may see of others. Who sits at the machine, and an admin, sees all of them; a member of a direct chat his own; in a group, where
 * others read along, only earlier ones of the same place. In a conversation that several people share an admin is like everybody there.
 */
export function chatReach({ config, store }: ReachDeps): (options: NewSession) => Promise<Reach> {
  const allowing = allowingBy({ config });
  return async ({ origin, wantedBy = origin }) => {
    if (wantedBy === undefined) return undefined;
    const place = placeOf(wantedBy);
    const rules = { perUser: config.get(GATEWAY.perUser), perUserInThread: config.get(GATEWAY.perUserInThread) };
    if (!isShared(place, rules) && memberOf(place, allowing(place)).tier === "admin") return undefined;
    const { read } = await store();
    const direct = place.source.chatType === "dm";
    return new Set(
      await read((q) =>
        direct
          ? conversationsOf(q, place.platform, userIds(place), OWN_AT_MOST)
          : conversationsUnder(q, sessionKeyOf(place, rules), OWN_AT_MOST),
      ),
    );
  };
}

/** An origin that does not say how many people read there is taken for a group. */
function placeOf({ platform, chat_id, thread_id, user_id, user_id_alt, chat_type }: ChatOrigin): Place {
  const nobody = { chatName: null, userName: null, chatTopic: null, chatIdAlt: null, guildId: null, parentChatId: null, messageId: null };
  const user = { userId: user_id ?? null, userIdAlt: user_id_alt ?? null };
  const chatType = (chat_type ?? "group") as Inbound["source"]["chatType"]; // the gateway wrote it from one
  return {
    platform: platform as Inbound["platform"], // the same
    source: { ...nobody, ...user, chatId: chat_id, threadId: thread_id ?? null, chatType },
  };
}
