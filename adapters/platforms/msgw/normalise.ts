import { ownEntry } from "../../../lib/base/json/record.js";
import type {
  ChatType,
  Inbound,
  InboundKind,
  InboundMedia,
  InboundSource,
} from "../../../lib/contracts/board/platform-tag.js";
import type { MsgwSettings } from "./settings.js";
import { type Activity, PressShape, type WireAttachment } from "./wire.js";

export interface NormaliseDeps {
  readonly settings: Pick<MsgwSettings, "account" | "prompts" | "skills">;
  /** Activities from before are the backlog of the account. */
  readonly connectedAt: number;
}

const THREAD = ";messageid=";

/** The chat of a conversation, and the thread that its id ends with. */
export function placeOf(conversation: string): { readonly chatId: string; readonly threadId: string | null } {
  const at = conversation.lastIndexOf(THREAD);
  if (at < 0) return { chatId: conversation, threadId: null };
  return { chatId: conversation.slice(0, at), threadId: conversation.slice(at + THREAD.length) };
}

/** The conversation that a chat and a thread make: what is sent there lands in its thread. */
export const conversationOf = (chatId: string, threadId: string | null): string =>
  threadId === null ? chatId : `${chatId}${THREAD}${threadId}`;

/** The event of an activity; undefined: it is not for us, now and for ever. */
export function normaliseActivity(activity: Activity, deps: NormaliseDeps): Inbound | undefined {
  const { type, from, recipient } = activity;
  if (from.id === recipient?.id || from.role === "bot") return undefined;
  const press = pressOf(activity);
  if (press !== undefined) {
    const event = eventOf(activity, deps);
    const source = { ...event.source, messageId: activity.replyToId ?? null };
    return { ...event, kind: "button", text: press, source, extra: { data: press } };
  }
  if (type === "message") return messageOf(activity, "message", deps);
  if (type === "messageUpdate") return messageOf(activity, "edit", deps);
  if (type !== "conversationUpdate" && type !== "installationUpdate") return undefined;
  return { ...eventOf(activity, deps), kind: "membership", extra: { status: statusOf(activity) } };
}

/** What the button of a card stands for; undefined: nothing was pressed. */
function pressOf({ type, value }: Activity): string | undefined {
  return type === "message" || type === "invoke" ? PressShape.safeParse(value).data?.agent_action : undefined;
}

function statusOf({ type, action, membersAdded, membersRemoved }: Activity): string {
  if (type === "installationUpdate") return action ?? "changed";
  if (membersAdded !== undefined) return "added";
  return membersRemoved === undefined ? "changed" : "removed";
}

function messageOf(activity: Activity, kind: InboundKind, deps: NormaliseDeps): Inbound | undefined {
  const text = wordsOf(activity);
  const media = (activity.attachments ?? []).flatMap(mediaOf);
  if (text === "" && media.length === 0) return undefined;
  const event = eventOf(activity, deps);
  const { source } = event;
  const keys = [source.threadId, source.chatId].filter((one) => one !== null);
  const command = kind === "message" && /^\/[a-z0-9_]/i.test(text);
  return {
    ...event,
    kind: command ? "command" : kind,
    type: command ? "command" : media.length > 0 && text === "" ? "document" : "text",
    text,
    media,
    replyToMessageId: activity.replyToId ?? null,
    channelPrompt: keys.map((key) => deps.settings.prompts[key]).find((one) => one !== undefined) ?? null,
    skills: keys.map((key) => deps.settings.skills[key]).find((one) => one !== undefined) ?? [],
  };
}

/** The text without the mentions of the bot. */
function wordsOf({ text = "", entities = [], recipient }: Activity): string {
  let words = text.replaceAll("&nbsp;", " ").replaceAll("\u00A0", " ");
  for (const { type, text: said, mentioned } of entities) {
    if (type === "mention" && said !== undefined && said !== "" && mentioned?.id === recipient?.id)
      words = words.replace(said, " ");
  }
  return words.replace(/[ \t]{2,}/g, " ").trim();
}

const TYPES: Readonly<Record<string, ChatType>> = { personal: "dm", groupChat: "group", channel: "channel" };

function eventOf(activity: Activity, { settings, connectedAt }: NormaliseDeps): Inbound {
  const { id = "", conversation, from, channelData, timestamp } = activity;
  const { chatId, threadId } = placeOf(conversation.id);
  // A changed message keeps its id, and is another event.
  const name = activity.type === "messageUpdate" ? `${id}/${timestamp ?? ""}` : id;
  const at = timestamp === undefined ? Number.NaN : Date.parse(timestamp);
  const source: InboundSource = {
    chatId,
    threadId,
    chatTopic: null,
    chatIdAlt: null,
    parentChatId: null,
    messageId: id === "" ? null : id,
    chatName: channelData?.channel?.name ?? channelData?.team?.name ?? conversation.name ?? null,
    chatType: ownEntry(TYPES, conversation.conversationType ?? "") ?? (conversation.isGroup === true ? "group" : "dm"),
    userId: from.aadObjectId ?? from.id,
    userIdAlt: from.aadObjectId === undefined ? null : from.id,
    userName: from.name ?? null,
    guildId: channelData?.team?.id ?? null,
  };
  return {
    platform: "msgw",
    account: settings.account,
    eventId: id === "" ? "" : `${conversation.id}/${name}`,
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
    sentAt: Number.isNaN(at) ? null : at,
    ...(at < connectedAt ? { backlog: true } : {}),
  };
}

const FILE = "application/vnd.microsoft.teams.file.download.info";

/** Cards and the text in another form do not count as files. */
function mediaOf({ contentType, contentUrl, name, content }: WireAttachment): readonly InboundMedia[] {
  if (contentType === FILE && content?.downloadUrl !== undefined) {
    return [{ kind: "document", mime: null, name: name ?? null, size: null, ref: { url: content.downloadUrl } }];
  }
  if (!contentType.startsWith("image/") || contentUrl === undefined) return [];
  return [
    {
      kind: "image",
      mime: contentType === "image/*" ? null : contentType,
      name: name ?? null,
      size: null,
      ref: { url: contentUrl },
    },
  ];
}
