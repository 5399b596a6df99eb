import type { FileStore } from "../../../storage/file/open.js";
import type { Query } from "../../../storage/store.js";
import * as tables from "../../../storage/tables/gateway/direct-topics.js";
import * as stored from "../../../storage/tables/sessions/direct-topics-sessions.js";
import { defineService, type Service } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import { commandIn } from "../router/command-text.js";
import type { Conversations } from "./conversations.js";
import { type Binding, createTopics, type TopicRecords, type Topics } from "./topic-bindings.js";
import { TOPIC_WORDS } from "./topic-texts.js";

export interface ChatTopicsDeps {
  /** Where conversations are kept; opened when it is first needed. */
  readonly sessions: () => Promise<FileStore>;
  readonly clock: Clock;
  readonly log: Log;
  readonly platforms: () => readonly Platform[];
  readonly keyOf: (event: Pick<Inbound, "platform" | "source">) => string;
  readonly move: Conversations["move"];
}

/** Topics of direct chats before the stores of a home; `watch` gives topics the titles of their conversations. */
export interface ChatTopics extends Topics {
  readonly watch: Service;
}

export function createChatTopics(deps: ChatTopicsDeps): ChatTopics {
  const { clock, log, sessions, platforms } = deps;
  const topics = createTopics({
    clock,
    log,
    move: deps.move,
    records: recordsOf(sessions, clock),
    platform: () => {
      const found = platforms().find(({ topics: own }) => own !== undefined);
      return found?.topics && { ...found.topics, tag: found.tag };
    },
    keyOf: ({ platform, chat, thread }) =>
      deps.keyOf({ platform, source: { ...DIRECT, chatId: chat, userId: chat, threadId: thread } }),
  });
  const watch = defineService("gateway-topics", async (scope) => {
    if (!platforms().some((one) => one.topics !== undefined)) return;
    const store = await sessions();
    scope.onStop(
      store.onEvents((events) => {
        for (const { kind, session, payload } of events) {
          const title = payload["title"];
          if (kind !== "session.info" || session === undefined || typeof title !== "string") continue;
          scope.run(async () => {
            try {
              await topics.titled(session as SessionId, title, scope.signal); // the event names a session by its id
            } catch (error) {
              if (!scope.signal.aborted)
                log.warning("failed to set the title of a topic; retrying", { error: toAppError(error).message });
            }
          });
        }
      }),
    );
  });
  return { ...topics, watch };
}

const DIRECT: Inbound["source"] = {
  chatId: null,
  chatName: null,
  chatType: "dm",
  userId: null,
  userIdAlt: null,
  userName: null,
  threadId: null,
  chatTopic: null,
  chatIdAlt: null,
  guildId: null,
  parentChatId: null,
  messageId: null,
};

/** `/new` where chats have topics. */
export interface TopicCommands {
  /** Why a new conversation cannot begin here. Undefined: it can, or another command. */
  readonly refusal: (event: Inbound) => Promise<string | undefined>;
  /** What the chat reads after the command. */
  readonly after: (event: Inbound, sessionKey: string, text: string) => Promise<string>;
}

const STARTS_NEW: ReadonlySet<string> = new Set(["new", "reset", "clear"]);

/** What `/new` means where there are topics. */
export function topicCommands(topics: Topics, conversations: Pick<Conversations, "at">): TopicCommands {
  const startsNew = (event: Inbound) => STARTS_NEW.has(commandIn(event) ?? "");
  return {
    refusal: async (event) => (startsNew(event) && (await topics.isLobby(event)) ? TOPIC_WORDS.lobbyNew : undefined),
    after: async (event, sessionKey, text) => {
      if (!startsNew(event)) return text;
      const session = await conversations.at(sessionKey);
      const inTopic = session !== undefined && (await topics.opened(event, sessionKey, session));
      return inTopic ? `${text}\n${TOPIC_WORDS.afterNew}` : text;
    },
  };
}

function recordsOf(sessions: () => Promise<FileStore>, clock: Clock): TopicRecords {
  /** Nothing of it is there before the first chat has topics. */
  const where = async <T>(otherwise: T, body: (q: Query) => Promise<T>): Promise<T> => {
    const store = await sessions();
    return store.read(async (q) => ((await tables.hasTopicTables(q)) ? body(q) : otherwise));
  };
  const change = async (label: string, body: Parameters<FileStore["write"]>[1]) => {
    await (await sessions()).write(`topics.${label}`, body);
  };
  return {
    isOn: (chat) => where(false, async (q) => (await tables.topicMode(q, chat))?.enabled === 1),
    enable: async (chat, user, mayCreate) => {
      await (await sessions()).extend("direct_topics");
      const now = clock.now();
      await change("enable", (tx) => tables.enableTopics(tx, { chat, user, mayCreate }, now));
    },
    noteIntro: (chat, intro, pinned) => change("intro", (tx) => tables.noteIntro(tx, chat, { intro, pinned })),
    disable: async (chat) => {
      const now = clock.now();
      await change("disable", (tx) => tables.disableTopics(tx, chat, now));
    },
    at: (chat, thread) => where(undefined, async (q) => bindingOf(await tables.bindingAt(q, chat, thread))),
    of: (session) => where(undefined, async (q) => bindingOf(await tables.bindingOf(q, session))),
    bind: async ({ chat, thread, user, sessionKey, session, mode }) => {
      const now = clock.now();
      const row = {
        chat_id: chat,
        thread_id: thread,
        user_id: user,
        session_key: sessionKey,
        session_id: session,
        managed_mode: mode,
      };
      await change("bind", (tx) => tables.bindTopic(tx, row, now));
    },
    unlinked: (platform, user, limit) => where([], (q) => stored.unlinkedSessions(q, { platform, user }, limit)),
    session: async (id) => (await sessions()).read((q) => stored.topicSession(q, id)),
    lastAnswer: async (id) => (await sessions()).read((q) => stored.lastAnswer(q, id)),
    noteUser: async (id, user) => {
      const store = await sessions();
      if ((await store.read((q) => stored.topicSession(q, id)))?.user !== null) return;
      await change("user", (tx) => stored.noteUser(tx, id, user));
    },
  };
}

const bindingOf = (row: tables.TopicBinding | undefined): Binding | undefined =>
  row && {
    chat: row.chat_id,
    thread: row.thread_id,
    user: row.user_id,
    sessionKey: row.session_key,
    session: row.session_id,
    mode: row.managed_mode,
  };
