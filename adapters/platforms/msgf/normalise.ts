import type { ChatType, Inbound, InboundSource, OwnDecision } from "../../../lib/contracts/board/platform-tag.js";
import { idsOf, isSelf } from "./admission.js";
import { contentOf } from "./content.js";
import type { Self } from "./identity.js";
import type { WireEvent, WireIds, WireMessage } from "./wire.js";

const QUOTE_CHARS = 500;

/** What every event of an account has. */
export const emptyEvent = (account: string, eventId: string): Inbound => ({
  platform: "msgf",
  account,
  eventId,
  kind: "message",
  type: "text",
  text: "",
  source: NOBODY,
  media: [],
  replyToMessageId: null,
  replyToText: null,
  channelPrompt: null,
  skills: [],
  internal: false,
  extra: null,
  replyGrant: null,
  sentAt: null,
});

export const NOBODY: InboundSource = {
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

export interface Normalising {
  readonly account: string;
  readonly self: Self;
  readonly decided?: OwnDecision | undefined;
  /** Text of the message that is quoted. */
  readonly quoted?: string | undefined;
}

/** The event of a message; undefined: it says nothing. */
export function normaliseMessage(
  { sender, message }: WireMessage,
  { header }: WireEvent,
  given: Normalising,
): Inbound | undefined {
  const content = contentOf(message.message_type, message.content, message.message_id);
  const text = spoken(content.text, message.mentions ?? [], given.self);
  if (text === "" && content.media.length === 0) return undefined;
  const command = /^\/[a-z0-9_]/i.test(text) && content.media.length === 0;
  const base = emptyEvent(given.account, message.message_id);
  const quoted = message.parent_id || (message.thread_id ? "" : message.root_id) || "";
  return {
    ...base,
    kind: command ? "command" : "message",
    type: command ? "command" : content.type,
    text,
    media: content.media,
    source: {
      ...NOBODY,
      ...personOf(sender.sender_id),
      chatId: message.chat_id,
      chatType: chatTypeOf(message.chat_type),
      threadId: message.thread_id || null,
      messageId: message.message_id,
    },
    replyToMessageId: quoted === "" ? null : quoted,
    replyToText: given.quoted === undefined ? null : given.quoted.slice(0, QUOTE_CHARS),
    sentAt: timeOf(message.create_time ?? header.create_time),
    ...(given.decided === undefined ? {} : { decided: given.decided }),
  };
}

/** The id of the person in this app first; the one of the tenant beside it, where the app may see it. */
export function personOf(ids: WireIds | null | undefined): Pick<InboundSource, "userId" | "userIdAlt"> {
  const [first = null] = idsOf(ids);
  const alt = ids?.user_id;
  return { userId: first, userIdAlt: typeof alt === "string" && alt !== "" && alt !== first ? alt : null };
}

export const chatTypeOf = (type: string): ChatType => (type === "p2p" ? "dm" : "group");

/** Milliseconds in a text. */
export function timeOf(text: string | null | undefined): number | null {
  const at = Number(text ?? Number.NaN);
  return Number.isSafeInteger(at) && at > 0 ? at : null;
}

type Mentions = NonNullable<WireMessage["message"]["mentions"]>;

/** The text as people read it: without the bot's own mention at either end, names for all others. */
function spoken(text: string, mentions: Mentions, self: Self): string {
  let said = text.trim();
  const own = mentions.filter((one) => isSelf(one, self)).map(({ key }) => key);
  for (let cut = true; cut; ) {
    cut = false;
    for (const key of own) {
      const starts = said.startsWith(key) && !/^\d/.test(said.slice(key.length));
      if (starts) said = said.slice(key.length).trim();
      else if (said.endsWith(key)) said = said.slice(0, -key.length).trim();
      else continue;
      cut = true;
    }
  }
  const names = new Map(mentions.map(({ key, name }) => [key, `@${name}`]));
  return said.replaceAll(/@_(?:user_\d+|all)/g, (key) => names.get(key) ?? key);
}
