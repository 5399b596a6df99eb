import type {
  Inbound,
  InboundMedia,
  InboundSource,
  InboundType,
  OwnDecision,
} from "../../../lib/contracts/board/platform-tag.js";
import { refOf } from "./cdn.js";
import type { MsgxSettings } from "./settings.js";
import { ItemShape, type WireItem, type WireMedia, type WireMessage } from "./wire.js";

const QUOTE_CHARS = 500;

/** Text of an earlier message of a chat, by the platform's id; undefined: it is not known any more. */
export type FindText = (messageId: string) => Promise<string | undefined>;

/** The event of a message; undefined: it is not for us, now and for ever. */
export async function normaliseMessage(
  message: WireMessage,
  settings: MsgxSettings,
  findText: FindText,
): Promise<Inbound | undefined> {
  const { account } = settings;
  if (message.message_type === 2 || message.from_user_id === account || message.from_user_id === "") return undefined;
  const group = groupOf(message, account);
  const own = decided(message, group, settings);
  if (own === "drop") return undefined;
  const items = message.item_list.flatMap((one) => ItemShape.safeParse(one).data ?? []);
  const media = items.flatMap((item) => mediaOf(item, settings.cdnBase));
  const quote = await quoteOf(items, findText);
  const said = items.flatMap(textOf).join("\n");
  const words = [
    ...(quote === "unknown" ? ["[Replying to an earlier message]"] : []),
    ...(said === "" ? [] : [said]),
  ].join("\n");
  if (words === "" && media.length === 0) return undefined; // calls of tools, and what is new
  const command = /^\/[a-z0-9_]/i.test(said);
  const source = sourceOf(message, group);
  const keys = [source.chatId].filter((one) => one !== null);
  return {
    platform: "msgx",
    account,
    eventId: message.message_id,
    source,
    media,
    internal: false,
    extra: null,
    kind: command ? "command" : "message",
    type: command ? "command" : typeOf(items),
    text: command ? said : words,
    ...(own === undefined ? {} : { decided: own }),
    replyToMessageId: quote === "unknown" ? null : (quote?.id ?? null),
    replyToText: quote === "unknown" ? null : (quote?.text.slice(0, QUOTE_CHARS) ?? null),
    channelPrompt: keys.map((key) => settings.prompts[key]).find((one) => one !== undefined) ?? null,
    skills: keys.map((key) => settings.skills[key]).find((one) => one !== undefined) ?? [],
    replyGrant:
      message.context_token === undefined || message.context_token === ""
        ? null
        : { token: message.context_token, expiresAt: null },
    sentAt: message.create_time_ms === undefined || message.create_time_ms <= 0 ? null : message.create_time_ms,
  };
}

function groupOf(message: WireMessage, account: string): string | undefined {
  const { group_id: group = "", room_id: room = "", chat_room_id: chat = "", to_user_id: to = "" } = message;
  const named = group || room || chat;
  return named || (to !== "" && to !== account ? to : undefined);
}

/** The policies of 16.7.4: those of groups are final. */
function decided(
  { from_user_id: user }: WireMessage,
  group: string | undefined,
  settings: MsgxSettings,
): OwnDecision | "drop" | undefined {
  if (group !== undefined) {
    const allowed =
      settings.groupPolicy === "open" ||
      (settings.groupPolicy === "allowlist" && settings.allowedGroups.includes(group));
    return allowed ? "allow" : "drop";
  }
  if (settings.dmPolicy === "disabled") return "deny";
  const listed = settings.allowedUsers.includes(user) || settings.allowedUsers.includes("*");
  return settings.dmPolicy === "allowlist" && !listed ? "deny" : undefined;
}

function sourceOf({ from_user_id: user, message_id: id }: WireMessage, group: string | undefined): InboundSource {
  return {
    chatId: group ?? user,
    chatName: null,
    chatType: group === undefined ? "dm" : "group",
    userId: user,
    userIdAlt: null,
    userName: null,
    threadId: null,
    chatTopic: null,
    chatIdAlt: null,
    guildId: null,
    parentChatId: null,
    messageId: id,
  };
}

function textOf({ type, text_item: text, voice_item: voice }: WireItem): readonly string[] {
  const said = type === 1 ? text?.text : type === 3 ? voice?.text : undefined;
  return said === undefined || said === "" ? [] : [said];
}

function mediaOf(
  { type, image_item: image, voice_item: voice, file_item: file, video_item: video }: WireItem,
  cdn: string,
): readonly InboundMedia[] {
  const one = (
    kind: string,
    mime: string | null,
    media: WireMedia | undefined,
    more: { name?: string; size?: number; key?: string } = {},
  ) => {
    const ref = media === undefined ? undefined : refOf(media, more.key ?? "", cdn);
    return ref === undefined ? [] : [{ kind, mime, name: more.name ?? null, size: more.size ?? null, ref }];
  };
  if (type === 2) return one("image", "image/jpeg", image?.media, { key: image?.aeskey ?? "" });
  // The platform's own transcript is the text.
  if (type === 3) return (voice?.text ?? "") === "" ? one("voice", "audio/silk", voice?.media) : [];
  if (type === 5) return one("video", "video/mp4", video?.media);
  if (type !== 4) return [];
  const size = Number(file?.len ?? Number.NaN);
  return one("document", null, file?.media, {
    name: file?.file_name || "file",
    ...(Number.isFinite(size) ? { size } : {}),
  });
}

const TYPES: Readonly<Record<number, InboundType>> = { 2: "photo", 3: "voice", 4: "document", 5: "video" };

const typeOf = (items: readonly WireItem[]): InboundType =>
  items.map(({ type }) => TYPES[type]).find((one) => one !== undefined) ?? "text";

/** What a message answers. `unknown`: something whose text is no longer known. */
async function quoteOf(
  items: readonly WireItem[],
  findText: FindText,
): Promise<{ readonly id: string | null; readonly text: string } | "unknown" | undefined> {
  const ref = items.map((one) => one.ref_msg).find((one) => one !== undefined);
  if (ref === undefined) return undefined;
  const text = ref.message_item?.text_item?.text || ref.title || "";
  if (text !== "") return { id: ref.svr_id ?? null, text };
  const found = ref.svr_id === undefined ? undefined : await findText(ref.svr_id);
  return found === undefined || found === "" ? "unknown" : { id: ref.svr_id ?? null, text: found };
}
