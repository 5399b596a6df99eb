import { ownEntry } from "../../../lib/base/json/record.js";
import type { EpochMs, Ms } from "../../../lib/base/units.js";
import type {
  Inbound,
  InboundKind,
  InboundMedia,
  InboundSource,
  InboundType,
} from "../../../lib/contracts/board/platform-tag.js";
import { channelOf } from "../common/settings.js";
import type { MsglSettings } from "./settings.js";
import { PressShape, type WireEvent, type WireMessage, type WireSource } from "./wire.js";

/** How long a reply token counts as usable, from its receipt. The platform takes it about 60 s. */
const TOKEN_MS: Ms = 50_000;

export interface NormaliseDeps {
  readonly settings: MsglSettings;
  /** User id of the bot. */
  readonly me: string;
  readonly now: EpochMs;
}

/** The event of a webhook; undefined: it is not for us, now and for ever. Reads nothing but what it is given. */
export function normaliseEvent(wire: WireEvent, deps: NormaliseDeps): Inbound | undefined {
  const { settings, me, now } = deps;
  const { source: from, message, postback, replyToken, timestamp } = wire;
  if (from === undefined || wire.mode === "standby" || from.userId === me) return undefined;
  const source = sourceOf(from);
  if (source === undefined) return undefined;
  const decided = decidedFor(from, settings);
  const base: Inbound = {
    platform: "msgl",
    account: settings.account,
    eventId: wire.webhookEventId,
    kind: "message",
    type: "text",
    text: "",
    source,
    media: [],
    replyToMessageId: null,
    replyToText: null,
    ...channelOf(settings, [source.chatId]),
    internal: false,
    extra: null,
    replyGrant: replyToken === undefined ? null : { token: replyToken, expiresAt: now + TOKEN_MS },
    sentAt: timestamp ?? null,
    ...(decided === undefined ? {} : { decided }),
  };
  if (wire.type === "postback" && postback !== undefined) {
    return {
      ...base,
      kind: "postback",
      text: postback.data,
      extra: { data: postback.data, ...pressIn(postback.data) },
    };
  }
  return wire.type === "message" && message !== undefined ? messageOf(base, message) : undefined;
}

function messageOf(base: Inbound, message: WireMessage): Inbound {
  const text = textOf(message);
  const command = message.type === "text" && /^\/[a-z0-9_]/i.test(text);
  const kind: InboundKind = command ? "command" : "message";
  return {
    ...base,
    kind,
    type: command ? "command" : (ownEntry(TYPES, message.type) ?? "text"),
    text,
    media: mediaOf(message),
    source: { ...base.source, messageId: message.id },
  };
}

const TYPES: Readonly<Record<string, InboundType>> = {
  image: "photo",
  audio: "audio",
  video: "video",
  file: "document",
  sticker: "sticker",
  location: "location",
};

/** Lists of groups and rooms have the last word: every member of a listed one may talk, in others no one may. */
function decidedFor(
  { type, userId, groupId, roomId }: WireSource,
  settings: MsglSettings,
): "allow" | "deny" | undefined {
  if (settings.allowAll) return "allow";
  if (type === "group") return settings.groups.includes(groupId ?? "") ? "allow" : "deny";
  if (type === "room") return settings.rooms.includes(roomId ?? "") ? "allow" : "deny";
  return settings.users.includes(userId ?? "") ? "allow" : undefined;
}

function sourceOf({ type, userId, groupId, roomId }: WireSource): InboundSource | undefined {
  const chatId = type === "group" ? groupId : type === "room" ? roomId : type === "user" ? userId : undefined;
  if (chatId === undefined) return undefined;
  return {
    chatId,
    chatName: null,
    chatType: type === "user" ? "dm" : "group",
    userId: userId ?? null,
    userIdAlt: null,
    userName: null,
    threadId: null,
    chatTopic: null,
    chatIdAlt: null,
    guildId: null,
    parentChatId: null,
    messageId: null,
  };
}

function textOf({ type, text = "", keywords = [], title, address }: WireMessage): string {
  switch (type) {
    case "text":
      return text;
    case "image":
    case "audio":
    case "video":
    case "file":
      return ""; // the line about the file says what it is
    case "sticker":
      return keywords.length === 0 ? "[sticker]" : `[sticker: ${keywords.slice(0, 20).join(", ")}]`;
    case "location":
      return `[location: ${[title, address].filter(Boolean).join(" ")}]`;
    default:
      return `[unsupported message type: ${type.replaceAll(/[^\w-]/g, "")}]`;
  }
}

const KINDS: Readonly<Record<string, readonly [kind: string, mime: string | null]>> = {
  image: ["image", "image/jpeg"],
  audio: ["audio", "audio/mp4"],
  video: ["video", "video/mp4"],
  file: ["document", null],
};

function mediaOf({ id, type, fileName, fileSize, contentProvider }: WireMessage): readonly InboundMedia[] {
  const known = Object.hasOwn(KINDS, type) ? KINDS[type] : undefined;
  if (known === undefined) return [];
  const [kind, mime] = known;
  const url = contentProvider?.type === "external" ? contentProvider.originalContentUrl : undefined;
  return [{ kind, mime, name: fileName ?? null, size: fileSize ?? null, ref: url === undefined ? { id } : { url } }];
}

/** What the button of a slow answer names. */
function pressIn(data: string): { readonly requestId?: string } {
  try {
    const press = PressShape.safeParse(JSON.parse(data)).data;
    return press === undefined ? {} : { requestId: press.request_id };
  } catch {
    return {}; // data of another button
  }
}
