import type { Store } from "../../../storage/store.js";
import { chatAt, type SeenChat } from "../../../storage/tables/gateway/chats.js";
import { inboxEnding } from "../../../storage/tables/gateway/inbox.js";
import { entryAt, forgetEntry } from "../../../storage/tables/gateway/sessions.js";
import { setValue, valuesUnder } from "../../../storage/tables/state/state-values.js";
import { defineService, type Scope, type Service } from "../../base/async/service.js";
import { AppError, toAppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import { ownEntry } from "../../base/json/record.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { Ms, SessionId } from "../../base/units.js";
import {
  type ChatType,
  type Inbound,
  type InboundSource,
  OPEN_INBOX_STATES,
  PLATFORM_TAGS,
  type PlatformTag,
} from "../../contracts/board/platform-tag.js";
import type { ChatApi, SessionRecord } from "../../contracts/chat/chat.js";
import type { HandedOver, HandoffApi } from "../../contracts/gateway/handoff.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { HomeChannel } from "../../contracts/gateway/targets.js";
import type { Gateway } from "../router/gateway.js";
import type { SettingsSource } from "../settings/platform-settings.js";
import { isShared, type KeyRules } from "../settings/session-key.js";
import { homeOf, variable } from "../targets/home-channels.js";
import { toPlatformTag } from "../targets/resolve-targets.js";
import type { Conversations } from "./conversations.js";
import { reached } from "./turn-media.js";

export interface HandoffDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  readonly chat: Pick<ChatApi, "get">;
  readonly gateway: () => Pick<Gateway, "inbox" | "supervisor">;
  readonly source: SettingsSource;
  readonly conversations: Pick<Conversations, "at" | "move">;
  readonly keyOf: (event: Pick<Inbound, "platform" | "source">) => string;
  readonly rules: () => KeyRules;
}

/** Conversations that are handed over to chats. What an owner did not see to its end is settled by the next. */
export interface ChatHandoff extends HandoffApi {
  readonly service: Service;
}

/** A request as it is kept; the newest of each conversation. */
interface Request {
  readonly session: SessionId;
  readonly place: HomeChannel;
  readonly eventId: string;
  readonly account: string;
  readonly key: string;
  /** Where the chat was before. */
  readonly before: SessionId | null;
  readonly state: HandedOver["state"];
  readonly error: string | null;
}

const PREFIX = "gateway.handoff:";
const WAIT: Ms = 60_000;
const THREAD: Ms = 10_000;
const OPEN: ReadonlySet<string> = new Set(OPEN_INBOX_STATES);
const TITLE = "agent — ";
const ASKS =
  "[This conversation was handed over from the terminal to this chat and goes on here. Confirm it in one or two short sentences that say what it " +
  "is about. Call no tools.]";

export function createHandoff(deps: HandoffDeps): ChatHandoff {
  const { store, clock, log } = deps;
  let settle: (request: Request) => Promise<Request> = () => Promise.reject(notThere());
  const service = defineService("gateway-handoff", async (scope) => {
    settle = (request) => settled(deps, request, scope);
    scope.onStop(() => {
      settle = () => Promise.reject(notThere());
    });
    for (const { value } of await store.read((q) => valuesUnder(q, PREFIX))) {
      const request: Request = JSON.parse(value); // this file wrote it
      if (request.state !== "pending") continue;
      scope.run(async () => {
        try {
          await settled(deps, request, scope);
        } catch (error) {
          if (!scope.signal.aborted) log.error("a handoff is not settled yet", { error: toAppError(error).message });
        }
      });
    }
  });
  return {
    service,
    handoff: async (id, wanted) => {
      const { session, platform, home } = await checked(deps, id, wanted);
      const request = await place(deps, { session, platform, home });
      const over = settle(request);
      const inTime = await settlesWithin(clock, WAIT, over);
      return outcomeOf(inTime ? await over : request);
    },
  };
}

const notThere = (): AppError =>
  new AppError("E_STATE", "no gateway is running in this process", {
    hint: "agent gateway start starts it",
  });

const outcomeOf = ({ place, state, error }: Request): HandedOver => ({ ...place, state, error });

interface Wanted {
  readonly session: SessionRecord;
  readonly platform: Platform;
  readonly home: HomeChannel;
}

/** Obstacles are reported before anything is changed. */
async function checked({ chat, clock, gateway, source }: HandoffDeps, id: SessionId, wanted: string): Promise<Wanted> {
  const tag = toPlatformTag(wanted);
  if (tag === undefined)
    throw new AppError("E_INVALID", `unknown platform "${wanted}" (known: ${PLATFORM_TAGS.join(", ")})`);
  const session = await chat.get(id);
  if (session === undefined) throw new AppError("E_NOT_FOUND", `no such session: "${id}"`);
  if (session.ephemeral) throw new AppError("E_STATE", "this conversation is kept in memory only and cannot be moved");
  const { supervisor } = gateway();
  const status = supervisor.statuses().find((one) => one.tag === tag);
  const home = homeOf(tag, source);
  if (home === undefined) {
    const hint = `run /sethome in the chat, or set ${variable(tag)}`;
    throw new AppError("E_INVALID", `${tag} does not have a home channel`, {
      hint,
    });
  }
  const begins = status?.state === "connecting";
  const platform = begins
    ? await reached(supervisor, clock, tag)
    : supervisor.connected().find((one) => one.tag === tag);
  if (platform === undefined) {
    const why = status === undefined ? "not configured" : (status.error_message ?? status.state);
    throw new AppError("E_STATE", `${tag} is not connected: ${why}`, {
      hint: "agent gateway status shows the problem",
    });
  }
  return { session, platform, home };
}

/** Bind the chat to the conversation, and ask there for a word. From then on it is durable. */
async function place(deps: HandoffDeps, { session, platform, home }: Wanted): Promise<Request> {
  const { ids, conversations, gateway } = deps;
  const { tag, account } = platform;
  const at = await placeOf(deps, { session, platform, home });
  const key = deps.keyOf({ platform: tag, source: at });
  const eventId = `handoff:${ids.hex(16)}`;
  const request: Request = {
    session: session.id,
    eventId,
    account,
    key,
    state: "pending",
    error: null,
    before: (await conversations.at(key)) ?? null,
    place: { ...home, threadId: at.threadId },
  };
  await note(deps, request);
  const event: Inbound = {
    platform: tag,
    account,
    eventId,
    kind: "message",
    type: "text",
    text: ASKS,
    source: at,
    internal: true,
    media: [],
    replyToMessageId: null,
    replyToText: null,
    channelPrompt: null,
    skills: [],
    extra: null,
    replyGrant: null,
    sentAt: null,
  };
  await conversations.move(key, session.id, event);
  const taken = await gateway().inbox.accept(event);
  if (taken === "accepted") return request;
  return failed(deps, request, "the gateway is not accepting messages");
}

async function note({ store, clock }: Pick<HandoffDeps, "store" | "clock">, request: Request): Promise<Request> {
  const now = clock.now();
  await store.write("gateway.handoff", (tx) =>
    setValue(tx, `${PREFIX}${request.session}`, JSON.stringify(request), now),
  );
  return request;
}

/** Who talks there is known from the last message; in a chat without messages, from its kind. */
async function placeOf(deps: HandoffDeps, { session, platform, home }: Wanted): Promise<InboundSource> {
  const { store, rules } = deps;
  const { chatId: chat_id, threadId } = home;
  const seen = await store.read((q) => chatAt(q, { platform: platform.tag, chat_id, thread_id: threadId ?? "" }));
  const entry = seen && (await store.read((q) => entryAt(q, seen.session_key)));
  const known: Partial<InboundSource> = entry?.origin == null ? {} : JSON.parse(entry.origin); // the gateway wrote a source
  const chatType = seen?.chat_type ?? (await typeOf(deps, platform, chat_id));
  const userId = known.userId ?? (chatType === "dm" && traitsOf(platform.tag).directChatIsUser ? chat_id : null);
  const base: InboundSource = {
    chatId: chat_id,
    chatName: seen?.name ?? null,
    chatType,
    userId,
    userIdAlt: known.userIdAlt ?? null,
    userName: null,
    threadId,
    chatTopic: null,
    chatIdAlt: null,
    guildId: known.guildId ?? null,
    parentChatId: null,
    messageId: null,
  };
  const made =
    threadId === null
      ? await threadFor(deps, platform, { chat: chat_id, name: `${TITLE}${session.title ?? session.id}` })
      : null;
  const source = made === null ? base : inThread(platform.tag, base, made);
  const ofOne = source.chatType !== "dm" && !isShared({ source }, rules());
  if (ofOne && source.userId === null && source.userIdAlt === null) {
    const hint = "send a message there once, or set group_sessions_per_user: false";
    throw new AppError(
      "E_STATE",
      `no one has written in ${home.name} yet, where each member has their own conversation`,
      { hint },
    );
  }
  return source;
}

function inThread(tag: PlatformTag, source: InboundSource, threadId: string): InboundSource {
  const chatType = traitsOf(tag).threadTypes[source.chatType] ?? source.chatType;
  const parentChatId = chatType === "thread" ? source.chatId : source.parentChatId;
  return { ...source, threadId, chatType, parentChatId };
}

/** What the platform calls a chat, in our words. */
const TYPES: Readonly<Record<string, ChatType>> = {
  private: "dm",
  dm: "dm",
  group: "group",
  supergroup: "group",
  channel: "channel",
  guild: "channel",
  thread: "thread",
};

async function typeOf({ clock }: HandoffDeps, platform: Platform, chatId: string): Promise<SeenChat["chat_type"]> {
  const info = await bounded(clock, (signal) => platform.chatInfo?.(chatId, signal));
  const told = info && ownEntry(TYPES, info.type);
  if (told !== undefined) return told;
  const { begins, otherwise } = traitsOf(platform.tag).chatTypes;
  return Object.entries(begins).find(([beginning]) => chatId.startsWith(beginning))?.[1] ?? otherwise;
}

/** Null: the platform makes none there. */
async function threadFor(
  { clock }: HandoffDeps,
  platform: Platform,
  { chat, name }: { readonly chat: string; readonly name: string },
) {
  if (!platform.caps.threads) return null;
  return (await bounded(clock, (signal) => platform.createThread?.(chat, name, signal))) ?? null;
}

/** Best effort: what fails or takes long is not there. */
async function bounded<T>(clock: Clock, call: (signal: AbortSignal) => Promise<T> | undefined): Promise<T | undefined> {
  const control = new AbortController();
  const cancel = clock.after(THREAD, () => control.abort(new Error("timeout")));
  const late = new Promise<undefined>((resolve) =>
    control.signal.addEventListener("abort", () => resolve(undefined), { once: true }),
  );
  try {
    return await Promise.race([call(control.signal), late]);
  } catch {
    return undefined; // ok to lose: the platform did not answer, so the chat itself is taken
  } finally {
    cancel();
  }
}

/** Wait for the turn that was asked for, and note how it ended. */
async function settled(deps: HandoffDeps, request: Request, { signal }: Scope): Promise<Request> {
  if (request.state !== "pending") return request;
  const { store, gateway } = deps;
  const { eventId, account } = request;
  const { platform } = request.place;
  let look: () => void = () => undefined;
  const rung = () => new Promise<void>((resolve) => (look = resolve));
  const unwatch = gateway().inbox.onWork(() => look());
  signal.addEventListener("abort", () => look(), { once: true });
  try {
    for (;;) {
      const next = rung();
      const ending = await store.read((q) => inboxEnding(q, { platform, account, eventId }));
      if (ending === undefined) return await failed(deps, request, "the program ended before the chat was notified");
      if (ending.state === "answered") return await note(deps, { ...request, state: "completed" });
      if (!OPEN.has(ending.state)) return await failed(deps, request, ending.reason ?? ending.state);
      if (signal.aborted) return request;
      await next;
    }
  } finally {
    unwatch();
  }
}

/** The chat goes on where it was before. */
async function failed(deps: HandoffDeps, request: Request, error: string): Promise<Request> {
  const { store, conversations } = deps;
  const { key, session, before } = request;
  if ((await conversations.at(key)) === session) {
    if (before !== null) await conversations.move(key, before);
    else await store.write("gateway.handoff", (tx) => forgetEntry(tx, key));
  }
  return note(deps, { ...request, state: "failed", error });
}
