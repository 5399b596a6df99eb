import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms, SessionId } from "../../base/units.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import type { Inbound, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { DirectTopics } from "../../contracts/gateway/platform.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import { toPlatformTag } from "../targets/resolve-targets.js";
import { TOPIC_WORDS, topicTitle } from "./topic-texts.js";

/** A conversation as topics see it. */
export interface TopicSession {
  readonly id: SessionId;
  readonly title: string | null;
  /** Platform and user that it belongs to; null where that was not noted. */
  readonly source: string;
  readonly user: string | null;
}

export interface Binding {
  readonly chat: string;
  readonly thread: string;
  readonly user: string;
  readonly sessionKey: string;
  readonly session: SessionId;
  readonly mode: "auto" | "restored";
}

/** Where topics are kept. Before `enable` nothing is there, and nothing is made. */
export interface TopicRecords {
  isOn(chat: string): Promise<boolean>;
  enable(chat: string, user: string, mayCreate: boolean | null): Promise<void>;
  noteIntro(chat: string, intro: string, pinned: boolean): Promise<void>;
  disable(chat: string): Promise<void>;
  at(chat: string, thread: string): Promise<Binding | undefined>;
  of(session: SessionId): Promise<Binding | undefined>;
  bind(binding: Binding): Promise<void>;
  /** Conversations of this user of the platform that belong to no topic, newest first. */
  unlinked(
    platform: string,
    user: string,
    limit: number,
  ): Promise<readonly { readonly id: SessionId; readonly preview: string }[]>;
  session(id: string): Promise<TopicSession | undefined>;
  lastAnswer(id: SessionId): Promise<string | undefined>;
  noteUser(id: SessionId, user: string): Promise<void>;
}

/** What a platform does about topics, with its tag. */
export interface TopicPlatform extends DirectTopics {
  readonly tag: PlatformTag;
}

export interface TopicPlace {
  readonly platform: PlatformTag;
  readonly chat: string;
  readonly thread: string;
}

export interface TopicDeps {
  readonly records: TopicRecords;
  readonly platform: () => TopicPlatform | undefined;
  readonly clock: Pick<Clock, "now">;
  readonly log: Log;
  readonly keyOf: (place: TopicPlace) => string;
  /** The messages of a session key go to this conversation from now on. */
  readonly move: (sessionKey: string, session: SessionId) => Promise<void>;
}

/** Topics of direct chats: each is a conversation of its own, and outside of them nothing is answered (gateway part, 16.1.7). */
export interface Topics {
  /** `/topic` with what follows it. */
  command(origin: ChatOrigin | undefined, words: readonly string[], signal: AbortSignal): Promise<string>;
  /** It is said outside of the topics of a chat that has them. */
  isLobby(event: Inbound): Promise<boolean>;
  /** What a text in the lobby is answered, "" for nothing; undefined: it is said elsewhere. */
  lobby(event: Inbound): Promise<string | undefined>;
  /** A conversation was opened for a message, or started over. @returns whether it is that of a topic */
  opened(event: Inbound, sessionKey: string, session: SessionId): Promise<boolean>;
  /** A conversation got a title. */
  titled(session: SessionId, title: string, signal: AbortSignal): Promise<void>;
}

const GENERAL = "1";
const REMIND_MS: Ms = 30_000;
const LISTED = 10;
const REMEMBERED = 1000;

const inTopic = (thread: string | null | undefined): thread is string =>
  thread !== undefined && thread !== null && thread !== GENERAL;

export function createTopics(deps: TopicDeps): Topics {
  const { records, clock, log, platform } = deps;
  const reminded = new Map<string, EpochMs>();
  const named = new Map<string, string>();
  const isLobby = async ({ platform: tag, source }: Inbound): Promise<boolean> =>
    traitsOf(tag).directTopics &&
    source.chatType === "dm" &&
    source.chatId !== null &&
    !inTopic(source.threadId) &&
    records.isOn(source.chatId);
  return {
    isLobby,
    command: async (origin, words, signal) => {
      const place = placeOf(origin);
      if (place === undefined) return TOPIC_WORDS.elsewhere;
      const [word] = words;
      if (word === "help" || words.length > 1) return TOPIC_WORDS.usage;
      if (word === "off") return switchOff(deps, place);
      if (word !== undefined) return restore(deps, place, word);
      return inTopic(place.thread) ? about(deps, place, place.thread) : switchOn(deps, place, signal);
    },
    lobby: async (event) => {
      if (!(await isLobby(event))) return undefined;
      const chat = event.source.chatId ?? "";
      const now = clock.now();
      const last = reminded.get(chat);
      if (last !== undefined && now >= last && now - last < REMIND_MS) return "";
      if (reminded.size >= REMEMBERED) reminded.clear();
      reminded.set(chat, now);
      return TOPIC_WORDS.lobby;
    },
    opened: async ({ platform: tag, source }, sessionKey, session) => {
      const { chatId: chat, threadId: thread, userId: user } = source;
      if (!traitsOf(tag).directTopics || source.chatType !== "dm" || chat === null || user === null) return false;
      await records.noteUser(session, user);
      if (!inTopic(thread) || !(await records.isOn(chat))) return false;
      const before = await records.at(chat, thread);
      if (before?.session === session) return true;
      await records.bind({ chat, thread, user, sessionKey, session, mode: before?.mode ?? "auto" });
      return true;
    },
    titled: async (session, title, signal) => {
      const binding = await records.of(session);
      const wanted = topicTitle(title);
      if (binding === undefined || wanted === "" || !(await records.isOn(binding.chat))) return;
      const key = `${binding.chat}/${binding.thread}`;
      if (named.get(key) === wanted) return;
      if (named.size >= REMEMBERED) named.clear();
      named.set(key, wanted);
      const port = platform();
      if ((await port?.rename(binding.chat, binding.thread, wanted, signal)) === false)
        log.info("failed to rename a topic", { tag: port?.tag });
    },
  };
}

interface Place {
  readonly platform: PlatformTag;
  readonly chat: string;
  readonly thread: string | undefined;
  readonly user: string;
}

/** Direct chats of the platform have the id of their user, and no other chat has. */
function placeOf(origin: ChatOrigin | undefined): Place | undefined {
  const platform = origin && toPlatformTag(origin.platform);
  if (platform === undefined || !traitsOf(platform).directTopics) return undefined;
  if (origin?.user_id === undefined || origin.user_id !== origin.chat_id) return undefined;
  return { platform, chat: origin.chat_id, thread: origin.thread_id, user: origin.user_id };
}

async function switchOn(
  { records, platform, log }: TopicDeps,
  { platform: tag, chat, user }: Place,
  signal: AbortSignal,
): Promise<string> {
  const port = platform();
  const flags = await port?.flags(signal);
  if (port === undefined || flags === undefined) return TOPIC_WORDS.noAnswer;
  if (!flags.enabled) return TOPIC_WORDS.notOffered;
  if (flags.mayCreate === false) return TOPIC_WORDS.mayNotCreate;
  const was = await records.isOn(chat);
  if (!was) {
    const made = await port.open(chat, { name: "System", text: TOPIC_WORDS.intro }, signal);
    if (made === undefined) return TOPIC_WORDS.notOpened;
    await records.enable(chat, user, flags.mayCreate);
    if (made.messageId !== null) {
      await records.noteIntro(chat, made.messageId, made.pinned);
    } else log.info("the first topic has no message", { tag: port.tag });
  }
  const free = await records.unlinked(tag, user, LISTED);
  const list = free.map(({ id, preview }) => `${id}  ${preview}`);
  const restorable =
    free.length === 0
      ? []
      : ["", "Conversations without a topic:", ...list, "", "In a topic, /topic <id> continues one of them."];
  return [`Topics are ${was ? "" : "now "}on: every topic is a separate conversation.`, ...restorable].join("\n");
}

async function switchOff({ records }: TopicDeps, { chat }: Place): Promise<string> {
  if (!(await records.isOn(chat))) return TOPIC_WORDS.notOn;
  await records.disable(chat);
  return TOPIC_WORDS.off;
}

async function about({ records }: TopicDeps, { chat }: Place, thread: string): Promise<string> {
  if (!(await records.isOn(chat))) return TOPIC_WORDS.notOn;
  const binding = await records.at(chat, thread);
  if (binding === undefined) return TOPIC_WORDS.independent;
  const title = (await records.session(binding.session))?.title;
  return `${title ?? "This topic has no title yet."}\nConversation: ${binding.session}`;
}

const ANSWER_CHARS = 3000;

/** Let a topic go on with an earlier conversation. The first obstacle is reported. */
async function restore(deps: TopicDeps, place: Place, id: string): Promise<string> {
  const { records, keyOf, move } = deps;
  const { platform, chat, thread, user } = place;
  if (!(await records.isOn(chat))) return TOPIC_WORDS.notOn;
  if (!inTopic(thread)) return TOPIC_WORDS.goInto;
  const session = await records.session(id);
  if (session === undefined) return `⛔ There is no conversation ${id}.`;
  if (session.source !== platform) return `⛔ The conversation ${id} does not belong to this platform.`;
  if (session.user !== user) return `⛔ The conversation ${id} belongs to another user.`;
  const linked = await records.of(session.id);
  if (linked !== undefined && linked.thread !== thread)
    return `⛔ The conversation ${id} already belongs to another topic.`;
  const sessionKey = keyOf({ platform, chat, thread });
  try {
    await records.bind({ chat, thread, user, sessionKey, session: session.id, mode: "restored" });
  } catch (error) {
    return `⛔ The conversation ${id} cannot be linked: ${toAppError(error).message}`;
  }
  await move(sessionKey, session.id);
  const answer = await records.lastAnswer(session.id);
  const last = answer === undefined ? [] : ["", answer.slice(0, ANSWER_CHARS)];
  return [`This topic continues: ${session.title ?? session.id}`, ...last].join("\n");
}
