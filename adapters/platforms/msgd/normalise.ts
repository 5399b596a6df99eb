import type { Inbound, InboundSource } from "../../../lib/contracts/board/platform-tag.js";
import { plainText } from "./address.js";
import type { Channels, Place } from "./channels.js";
import { mediaOf } from "./media.js";
import type { MsgdSettings } from "./settings.js";
import type { WireInteraction, WireMessage, WireOption, WireUser } from "./wire.js";

export interface NormaliseDeps {
  readonly settings: MsgdSettings;
  readonly me: string;
  readonly channels: Pick<Channels, "known">;
}

const QUOTE_CHARS = 500;
const GRANT_MS = 14 * 60_000;

/** @param thread id of the thread that is opened for the message */
export function messageEvent(
  message: WireMessage,
  place: Place | undefined,
  deps: NormaliseDeps,
  thread: string | null,
): Inbound {
  const { settings, me, channels } = deps;
  const read = (one: Pick<WireMessage, "content" | "mentions">) =>
    plainText(one, me, (id) => channels.known(id)?.name ?? undefined);
  const { media, notes, type } = mediaOf(message, settings);
  const forwarded = (message.message_snapshots ?? [])
    .flatMap((one) => one.message.content ?? [])
    .filter((one) => one !== "");
  const stickers = (message.sticker_items ?? []).map(({ name }) => `[sticker ${name}]`);
  const said = [read(message), ...forwarded.map((one) => `[Forwarded message]\n${one}`), ...stickers, ...notes].filter(
    (one) => one !== "",
  );
  const text = said.join("\n") || (media.length === 0 ? "[message without text]" : "");
  const { referenced_message: quoted, member, author } = message;
  const source = sourceOf(
    { channel: message.channel_id, guild: message.guild_id, place, thread },
    author,
    member?.nick,
  );
  const command = /^\/[a-z0-9_]/i.test(text);
  return {
    ...base(message.id, { ...source, messageId: message.id }, settings),
    kind: command ? "command" : "message",
    type: command ? "command" : type,
    text,
    media,
    replyToMessageId: quoted?.id ?? null,
    replyToText: quoted == null ? null : read(quoted).slice(0, QUOTE_CHARS) || null,
    sentAt: timeOf(message.timestamp),
  };
}

/** A command or a press; undefined: neither. The right to answer it ends after a quarter of an hour. */
export function interactionEvent(
  given: WireInteraction,
  place: Place | undefined,
  deps: NormaliseDeps,
  now: number,
): Inbound | undefined {
  const user = given.member?.user ?? given.user;
  const { channel_id: channel, data } = given;
  if (user === undefined || channel === undefined) return undefined;
  const source = sourceOf({ channel, guild: given.guild_id, place, thread: null }, user, given.member?.nick);
  const grant = (kind: "command" | "press") => ({
    token: `${kind}:${given.id}:${given.token}`,
    expiresAt: now + GRANT_MS,
  });
  if (given.type === 2 && data?.name !== undefined) {
    const text = [`/${data.name}`, ...wordsOf(data.options ?? [])].join(" ");
    const event = base(given.id, { ...source, messageId: given.id }, deps.settings);
    return { ...event, kind: "command", type: "command", text, replyGrant: grant("command"), sentAt: now };
  }
  if (given.type !== 3 || data?.custom_id === undefined) return undefined;
  const text = data.values?.[0] ?? data.custom_id;
  const extra = { data: text, messageText: given.message?.content ?? null };
  const event = base(given.id, { ...source, messageId: given.message?.id ?? null }, deps.settings);
  return { ...event, kind: "button", text, extra, replyGrant: grant("press"), sentAt: now };
}

/** Values in the order in which they were given; names of groups of options as words. */
const wordsOf = (options: readonly WireOption[]): readonly string[] =>
  options.flatMap(({ name, type, value, options: inner = [] }) =>
    type <= 2 ? [name, ...wordsOf(inner)] : [String(value ?? "")],
  );

function base(eventId: string, source: InboundSource, { account, prompts, skills }: MsgdSettings): Inbound {
  const keys = [source.threadId, source.chatId].filter((one) => one !== null);
  return {
    platform: "msgd",
    account,
    eventId,
    kind: "message",
    type: "text",
    text: "",
    source,
    media: [],
    replyToMessageId: null,
    replyToText: null,
    internal: false,
    extra: null,
    replyGrant: null,
    sentAt: null,
    channelPrompt: keys.map((key) => prompts[key]).find((one) => one !== undefined) ?? null,
    skills: keys.map((key) => skills[key]).find((one) => one !== undefined) ?? [],
  };
}

interface Where {
  readonly channel: string;
  readonly guild: string | undefined;
  readonly place: Place | undefined;
  readonly thread: string | null;
}

/** A thread is a place in its parent channel, so that the message that opens one and those in it belong together. */
function sourceOf(
  { channel, guild, place, thread }: Where,
  user: WireUser,
  nick: string | null | undefined,
): InboundSource {
  const inThread = place?.kind === "thread" && place.parentId !== null;
  const threadId = inThread ? channel : thread;
  const direct = guild === undefined && place?.kind !== "group";
  return {
    chatId: inThread ? place.parentId : channel,
    chatName: direct ? null : (place?.name ?? null),
    chatType: direct ? "dm" : threadId !== null ? "thread" : guild === undefined ? "group" : "channel",
    userId: user.id,
    userIdAlt: null,
    userName: nick ?? user.global_name ?? user.username ?? null,
    threadId,
    chatTopic: place?.topic ?? null,
    chatIdAlt: null,
    guildId: guild ?? null,
    parentChatId: inThread ? place.parentId : null,
    messageId: null,
  };
}

function timeOf(text: string | undefined): number | null {
  const at = text === undefined ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}
