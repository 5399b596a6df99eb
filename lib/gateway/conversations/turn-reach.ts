import { join } from "node:path";
import type { Store } from "../../../storage/store.js";
import { conversationsOf, conversationsUnder } from "../../../storage/tables/gateway/sessions.js";
import type { SessionId } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import { type Inbound, isHook } from "../../contracts/board/platform-tag.js";
import type { NewSession } from "../../contracts/chat/chat.js";
import type { RecallReach } from "../../contracts/chat/recall.js";
import { type TurnLimits, type TurnReach, WHOLE_REACH } from "../../contracts/gateway/reach.js";
import { isWithin } from "../../safety/paths/paths.js";
import { allowingBy } from "../admission/home-access.js";
import { memberOf, startsPrograms } from "../admission/member-tier.js";
import { chatMark } from "../media/chat-mark.js";
import { ACCESS } from "../settings/access-keys.js";
import { isShared, sessionKeyOf } from "../settings/session-key.js";
import { keyRulesOf } from "../settings/session-key-rules.js";
import { OWN_AT_MOST, userIds } from "./conversations.js";
import { workDirOf } from "./work-dir.js";

export interface ReachDeps extends Pick<AppOptions, "home" | "config"> {
  /** The store that knows who talks in which chat; absent without one. */
  readonly store?: () => Promise<Store>;
}

type Place = Pick<Inbound, "platform" | "source">;
type Named = Pick<NewSession, "origin" | "wantedBy">;

/**
 * What a conversation may reach. A user at the machine, and an admin, reaches all of the home; any other user his own chat: there he sees earlier
 * conversations of his, in a group, where others read along, only those of the same place. In a conversation that several people share an admin is
 * like everybody there.
 */
export function turnReach(deps: ReachDeps): (options: Named, lineage: SessionId) => TurnReach {
  return ({ origin, wantedBy = origin }, lineage) => {
    if (wantedBy === undefined) return WHOLE_REACH;
    return {
      limits: () => limitsOf(deps, wantedBy, lineage),
      conversations: () => conversationsFor(deps, placeOf(wantedBy)),
    };
  };
}

/** The bounds of a turn that a chat wants; undefined: without bounds. @throws E_CONFIG */
export function limitsOf({ config, home }: ReachDeps, chat: ChatOrigin, lineage?: SessionId): TurnLimits | undefined {
  const place = placeOf(chat);
  // What came through a signed hook works with words of the master of the home.
  if (isHook(chat.platform) || isMaster({ config }, place)) return undefined;
  const rules = keyRulesOf(config);
  const dirs =
    lineage === undefined ? [] : ["results", "processes", "tmp"].map((kind) => join(home.cache, kind, lineage));
  const programs =
    config.get(ACCESS.programs) || startsPrograms(place, allowingBy({ config })(place), isShared(place, rules));
  return { chat, home: { dirs, work: workIn({ config, home }), files: chatMark(place, rules) }, programs };
}

/** A directory of chats that was set inside of a home is to be worked in; the home as a whole does not count as one. */
function workIn(deps: Pick<ReachDeps, "config" | "home">): readonly string[] {
  const cwd = workDirOf(deps);
  return isWithin(deps.home.dir, cwd) ? [] : [cwd];
}

function isMaster({ config }: Pick<ReachDeps, "config">, place: Place): boolean {
  return !isShared(place, keyRulesOf(config)) && memberOf(place, allowingBy({ config })(place)).tier === "admin";
}

async function conversationsFor({ config, store }: ReachDeps, place: Place): Promise<RecallReach> {
  if (isMaster({ config }, place)) return undefined;
  const direct = place.source.chatType === "dm";
  const found = await (await store?.())?.read((q) =>
    direct
      ? conversationsOf(q, place.platform, userIds(place), OWN_AT_MOST)
      : conversationsUnder(q, sessionKeyOf(place, keyRulesOf(config)), OWN_AT_MOST),
  );
  return new Set(found ?? []);
}

/** An origin that does not say how many people read there is taken for a group. */
function placeOf({ platform, chat_id, thread_id, user_id, user_id_alt, chat_type }: ChatOrigin): Place {
  const nobody = {
    chatName: null,
    userName: null,
    chatTopic: null,
    chatIdAlt: null,
    guildId: null,
    parentChatId: null,
    messageId: null,
  };
  const user = { userId: user_id ?? null, userIdAlt: user_id_alt ?? null };
  const chatType = (chat_type ?? "group") as Inbound["source"]["chatType"]; // the gateway wrote it from one
  return {
    platform: platform as Inbound["platform"], // the same
    source: { ...nobody, ...user, chatId: chat_id, threadId: thread_id ?? null, chatType },
  };
}
