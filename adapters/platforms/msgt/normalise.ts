import { ownEntry } from "../../../lib/base/json/record.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { Ms } from "../../../lib/base/units.js";
import type {
  ChatType,
  Inbound,
  InboundKind,
  InboundMedia,
  InboundSource,
  InboundType,
} from "../../../lib/contracts/board/platform-tag.js";
import { LOCAL_BYTES } from "./files.js";
import { audienceOf, textOf, threadOf, withoutMention } from "./groups.js";
import type { Observed } from "./observed.js";
import type { MsgtSettings } from "./settings.js";
import { type Me, type Update, UpdateShape, type WireFile, type WireMessage } from "./wire.js";

export interface UpdateParts {
  readonly settings: MsgtSettings;
  readonly me: Me;
  readonly log: Log;
  /** Messages from before are the backlog of the account. */
  readonly connectedAt: number;
  /** Undefined: what others say in groups is left out. */
  readonly observed: Observed | undefined;
}

/** The platform counts seconds: what was sent in the second of the connect is not called older. */
const SECOND_MS: Ms = 1000;

/** The event of an update; undefined: it is not for us. One of a shape that is not known can never be taken: it is noted and left. */
export function readUpdate(parts: UpdateParts, update: unknown): Inbound | undefined {
  const read = UpdateShape.safeParse(update);
  if (!read.success) {
    parts.log.warning("an update of the platform cannot be read", {
      tag: "msgt",
      why: read.error.issues[0]?.path.join(".") ?? "",
    });
    return undefined;
  }
  const event = withContext(read.data, normaliseUpdate(read.data, parts), parts);
  if (event === undefined || event.sentAt === null) return event;
  return event.sentAt + SECOND_MS <= parts.connectedAt ? { ...event, backlog: true } : event;
}

function withContext(
  update: Update,
  event: Inbound | undefined,
  { observed, settings, me }: UpdateParts,
): Inbound | undefined {
  if (observed === undefined) return event;
  const context = observed.see(update, event, { me, rules: settings.groups });
  return event === undefined || context === undefined ? event : { ...event, context };
}

interface NormaliseDeps {
  readonly settings: MsgtSettings;
  readonly me: Me;
}

const QUOTE_CHARS = 500;

/** The event of an update; undefined: it is not for us, now and for ever. Reads nothing but what it is given. */
function normaliseUpdate(update: Update, deps: NormaliseDeps): Inbound | undefined {
  const { message, edited_message: edited, channel_post: post, callback_query: press, my_chat_member: member } = update;
  if (press !== undefined) return pressOf(update, press, deps);
  if (member !== undefined) {
    const source = sourceOf({ message_id: 0, chat: member.chat, from: member.from });
    const base = eventOf(update, { ...source, messageId: null }, deps);
    return {
      ...base,
      kind: "membership",
      extra: { status: member.new_chat_member.status },
      sentAt: timeOf(member.date),
    };
  }
  const found = message ?? edited ?? post;
  return found === undefined ? undefined : messageOf(update, found, deps);
}

function messageOf(update: Update, message: WireMessage, deps: NormaliseDeps): Inbound | undefined {
  const { settings, me } = deps;
  if (message.from?.id === me.id) return undefined;
  if (message.chat.type !== "private" && audienceOf(message, me, settings.groups) !== "us") return undefined;
  const media = mediaOf(message).map((one) => (settings.localMode ? { ...one, limit: LOCAL_BYTES } : one));
  const said = withoutMention(message, me);
  const text = said || describe(message);
  if (text === "" && media.length === 0) return undefined; // a service message: a new member, a changed title
  const command = update.edited_message === undefined && /^\/[a-z0-9_]/i.test(said);
  const kind: InboundKind = update.edited_message !== undefined ? "edit" : command ? "command" : "message";
  const { reply_to_message: quoted, media_group_id: album } = message;
  const source = sourceOf(message);
  const keys = [`${source.chatId}:${source.threadId}`, source.threadId, source.chatId].filter((one) => one !== null);
  // In a topic every message answers the one that opened it: that is not a quote.
  const quote = quoted !== undefined && quoted.message_id !== message.message_thread_id ? quoted : undefined;
  return {
    ...eventOf(update, source, deps),
    kind,
    type: command ? "command" : typeOf(message),
    text,
    media,
    sentAt: timeOf(message.date),
    replyToMessageId: quote === undefined ? null : String(quote.message_id),
    replyToText: quote === undefined ? null : (textOf(quote) || describe(quote)).slice(0, QUOTE_CHARS) || null,
    channelPrompt: keys.map((key) => settings.prompts[key]).find((one) => one !== undefined) ?? null,
    skills: keys.map((key) => settings.skills[key]).find((one) => one !== undefined) ?? [],
    extra: album === undefined ? null : { album },
  };
}

function pressOf(update: Update, press: NonNullable<Update["callback_query"]>, deps: NormaliseDeps): Inbound {
  const { message, from, data = "" } = press;
  const source = message === undefined ? nobody : sourceOf({ ...message, from });
  const who = { userId: String(from.id), userIdAlt: from.username ?? null, userName: nameOf(from) };
  return {
    ...eventOf(update, { ...source, ...who }, deps),
    kind: "button",
    text: data,
    extra: { data, messageText: message === undefined ? null : textOf(message) },
    replyGrant: { token: press.id, expiresAt: null },
  };
}

function eventOf({ update_id: id }: Update, source: InboundSource, { settings }: NormaliseDeps): Inbound {
  return {
    platform: "msgt",
    account: settings.account,
    eventId: String(id),
    kind: "message",
    type: "text",
    text: "",
    source,
    media: [],
    replyToMessageId: null,
    replyToText: null,
    channelPrompt: null,
    skills: [],
    internal: false,
    extra: null,
    replyGrant: null,
    sentAt: null,
  };
}

const TYPES: Readonly<Record<string, ChatType>> = {
  private: "dm",
  group: "group",
  supergroup: "group",
  channel: "channel",
};

const nobody: InboundSource = {
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

function sourceOf(message: WireMessage): InboundSource {
  const { chat, from, sender_chat: sender } = message;
  const who = sender ?? from;
  return {
    ...nobody,
    chatId: String(chat.id),
    chatName: chat.title ?? (nameOf(chat) || null),
    chatType: chat.is_forum === true ? "forum" : (ownEntry(TYPES, chat.type) ?? "group"),
    userId: who === undefined ? null : String(who.id),
    userIdAlt: who?.username ?? null,
    userName: sender?.title ?? (from === undefined ? null : nameOf(from)),
    threadId: threadOf(message),
    messageId: String(message.message_id),
  };
}

interface Named {
  readonly first_name?: string | undefined;
  readonly last_name?: string | undefined;
  readonly username?: string | undefined;
}

const nameOf = ({ first_name: first, last_name: last, username }: Named): string =>
  [first, last].filter(Boolean).join(" ") || (username ?? "");

/** Seconds of the platform; a time of zero is none. */
const timeOf = (seconds: number | undefined): number | null =>
  seconds === undefined || seconds <= 0 ? null : seconds * 1000;

function typeOf(message: WireMessage): InboundType {
  if (message.photo !== undefined) return "photo";
  if (message.voice !== undefined) return "voice";
  if (message.audio !== undefined) return "audio";
  if (message.video !== undefined || message.video_note !== undefined || message.animation !== undefined)
    return "video";
  if (message.document !== undefined) return "document";
  if (message.sticker !== undefined) return "sticker";
  return message.location === undefined ? "text" : "location";
}

function mediaOf(message: WireMessage): readonly InboundMedia[] {
  // An animation comes as a document as well.
  const document = message.animation === undefined ? message.document : undefined;
  const largest = [...(message.photo ?? [])].sort((a, b) => (b.file_size ?? 0) - (a.file_size ?? 0))[0];
  const { voice, audio, video, video_note: note, animation } = message;
  return [
    ...one("image", largest, "image/jpeg"),
    ...one("voice", voice, "audio/ogg"),
    ...one("audio", audio, null),
    ...one("video", video ?? note ?? animation, "video/mp4"),
    ...one("document", document, null),
  ];
}

function one(kind: string, file: WireFile | undefined, otherwise: string | null): readonly InboundMedia[] {
  if (file === undefined) return [];
  const { file_id: fileId, file_size: size = null, file_name: name = null, mime_type: mime = otherwise } = file;
  return [{ kind, mime, name, size, ref: { fileId } }];
}

/** What the model learns of things without text. */
function describe({ sticker, location, contact }: Pick<WireMessage, "sticker" | "location" | "contact">): string {
  if (sticker !== undefined)
    return `[sticker ${[sticker.emoji, sticker.set_name].filter(Boolean).join(" ")}]`.replace(" ]", "]");
  if (location !== undefined) return `[location ${location.latitude}, ${location.longitude}]`;
  if (contact === undefined) return "";
  return `[contact ${[contact.first_name, contact.last_name, contact.phone_number].filter(Boolean).join(" ")}]`;
}
