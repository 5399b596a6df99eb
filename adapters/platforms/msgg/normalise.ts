import type { Inbound, InboundMedia, InboundSource, InboundType } from "../../../lib/contracts/board/platform-tag.js";
import type { Opened } from "./envelope.js";
import type { MsggSettings } from "./settings.js";
import type { WireAttachment, WireMessage, WireSpace } from "./wire.js";

export interface NormaliseDeps {
  readonly settings: MsggSettings;
  /** Identifier and time of the delivery. */
  readonly id: string;
  readonly publishedAt: number;
  /** Messages from before are the backlog of the account. */
  readonly connectedAt: number;
}

/** Its text and thread, before it is known which conversation of a direct chat it belongs to. */
type Found = Extract<Opened, { readonly is: "message" }>;

/** Messages of such a name are ours, also where they stand under a user's. */
export const OWN_MESSAGE = "client-agent-";

/** Whether it is a conversation with one person. */
export const isDirect = ({ spaceType, type, singleUserBotDm: alone }: WireSpace): boolean =>
  spaceType === "DIRECT_MESSAGE" || type === "DM" || alone === true;

/** The event of a message; undefined: it is not for us, now and for ever. `side`: in a direct chat, its thread is a conversation of its own. */
export function normaliseMessage(
  { message, space, command }: Found,
  side: boolean,
  deps: NormaliseDeps,
): Inbound | undefined {
  if (message.sender.type === "BOT" || message.clientAssignedMessageId?.startsWith(OWN_MESSAGE)) return undefined;
  const { settings, publishedAt, connectedAt } = deps;
  const said = (message.argumentText?.trim() || message.text?.trim()) ?? "";
  const text =
    command === undefined ? said : `/cmd_${command.replace(/\W/g, "_")} ${message.argumentText?.trim() ?? ""}`.trim();
  const media = (message.attachment ?? []).map(mediaOf);
  if (text === "" && media.length === 0) return undefined;
  const source = sourceOf(message, space, side);
  const keys = [source.threadId, source.chatId].filter((one) => one !== null);
  const isCommand = /^\/[a-z0-9_]/i.test(text);
  return {
    ...eventOf(message.name, source, settings.subscription),
    kind: isCommand ? "command" : "message",
    type: isCommand ? "command" : typeOf(media),
    text,
    media,
    replyToMessageId: message.quotedMessageMetadata?.name ?? null,
    channelPrompt: keys.map((key) => settings.prompts[key]).find((one) => one !== undefined) ?? null,
    skills: keys.map((key) => settings.skills[key]).find((one) => one !== undefined) ?? [],
    sentAt: timeOf(message.createTime) ?? publishedAt,
    ...(publishedAt < connectedAt ? { backlog: true } : {}),
  };
}

/** The bot or another person came or went. */
export function normaliseMembership(
  { space, status }: { readonly space: string; readonly status: string },
  { settings, id, publishedAt }: NormaliseDeps,
): Inbound {
  const source: InboundSource = { ...nowhere, chatId: space, chatType: "group" };
  return { ...eventOf(id, source, settings.subscription), kind: "membership", extra: { status }, sentAt: publishedAt };
}

function eventOf(eventId: string, source: InboundSource, account: string): Inbound {
  return {
    platform: "msgg",
    account,
    eventId,
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

const nowhere: InboundSource = {
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

function sourceOf({ name, sender, thread }: WireMessage, space: WireSpace, side: boolean): InboundSource {
  const direct = isDirect(space);
  return {
    ...nowhere,
    chatId: space.name,
    chatName: space.displayName ?? null,
    chatType: direct ? "dm" : "group",
    userId: sender.email?.toLowerCase() ?? sender.name ?? null,
    userIdAlt: sender.email === undefined ? null : (sender.name ?? null),
    userName: sender.displayName ?? null,
    threadId: direct && !side ? null : (thread?.name ?? null),
    messageId: name,
  };
}

function timeOf(text: string | undefined): number | null {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

const KINDS: readonly (readonly [start: string, kind: "image" | "audio" | "video"])[] = [
  ["image/", "image"],
  ["audio/", "audio"],
  ["video/", "video"],
];

function mediaOf({
  contentName,
  contentType,
  attachmentDataRef: data,
  downloadUri: url,
  source,
}: WireAttachment): InboundMedia {
  const kind = KINDS.find(([start]) => contentType?.startsWith(start))?.[1] ?? "document";
  const resource = data?.resourceName;
  const ref = source === "DRIVE_FILE" ? { drive: true } : resource === undefined ? { url: url ?? "" } : { resource };
  return { kind, mime: contentType ?? null, name: contentName ?? null, size: null, ref };
}

const TYPES: Readonly<Record<string, InboundType>> = {
  image: "photo",
  audio: "audio",
  video: "video",
  document: "document",
};
const typeOf = ([first]: readonly InboundMedia[]): InboundType =>
  first === undefined ? "text" : (TYPES[first.kind] ?? "document");
