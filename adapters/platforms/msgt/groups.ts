import type { GroupSettings } from "./settings.js";
import type { Me, WireMessage } from "./wire.js";

/** Thread of a message as sessions know it; null: none. General of a forum is "1" (gateway part, 16.1.4). */
export function threadOf(message: WireMessage): string | null {
  const { chat, message_thread_id: thread, is_topic_message: inTopic } = message;
  if (chat.type === "private") {
    // Who quotes a message of a topic speaks in that topic, wherever it is written.
    const own = thread ?? message.reply_to_message?.message_thread_id;
    return own === undefined ? null : String(own);
  }
  if (thread !== undefined && (inTopic === true || chat.is_forum === true)) return String(thread);
  return chat.is_forum === true ? "1" : null;
}

/**
 * Who a message of a group is meant for: the rules of gateway part, 16.1.5, in their order. Needs no I/O. `others`: it does not name the bot, in a
 * place where the bot listens; `outside`: the settings shut the bot out there.
 */
export function audienceOf(message: WireMessage, me: Me, rules: GroupSettings): "us" | "others" | "outside" {
  const thread = threadOf(message);
  const chat = String(message.chat.id);
  const mentions = mentionsOf(message, me);
  if (rules.allowedTopics.length > 0 && !(thread !== null && rules.allowedTopics.includes(thread))) return "outside";
  if (thread !== null && rules.ignoredThreads.includes(thread)) return "outside";
  if (rules.exclusiveMentions && mentions.others && !mentions.us) return "outside";
  if (rules.allowedChats.length > 0 && !rules.allowedChats.includes(chat) && !(rules.guestMode && mentions.us))
    return "outside";
  if (rules.freeChats.includes(chat) || !rules.requireMention) return "us";
  if (message.reply_to_message?.from?.id === me.id || mentions.us) return "us";
  return rules.patterns.some((pattern) => pattern.test(textOf(message))) ? "us" : "others";
}

/** Text or caption of a message. */
export const textOf = (message: Pick<WireMessage, "text" | "caption">): string => message.text ?? message.caption ?? "";

/** The text without the mentions of the bot; `/cmd@bot` becomes `/cmd`. */
export function withoutMention(message: WireMessage, me: Me): string {
  const parts = entitiesOf(message).filter((one) => one.us);
  let text = textOf(message);
  for (const { offset, length, command } of parts.reverse()) {
    const said = text.slice(offset, offset + length);
    const kept = command ? said.slice(0, said.indexOf("@")) : "";
    text = text.slice(0, offset) + kept + text.slice(offset + length);
  }
  return parts.some(({ command }) => !command) ? text.replace(/ {2,}/g, " ").trim() : text;

  function entitiesOf(one: WireMessage) {
    return addressed(one, me).sort((a, b) => a.offset - b.offset);
  }
}

function mentionsOf(message: WireMessage, me: Me): { readonly us: boolean; readonly others: boolean } {
  const found = addressed(message, me);
  return { us: found.some(({ us }) => us), others: found.some(({ bot, us }) => bot && !us) };
}

/** Places that name a user. Offsets are UTF-16 code units, as texts of this language count. Without entities only `@name` names one. */
function addressed(message: WireMessage, me: Me) {
  const text = textOf(message);
  const own = me.username?.toLowerCase();
  const marked = message.entities ?? message.caption_entities ?? guessed(text);
  return marked.flatMap(({ type, offset, length, user }) => {
    const said = text.slice(offset, offset + length);
    const command = type === "bot_command";
    if (type === "text_mention")
      return [{ offset, length, command, us: user?.id === me.id, bot: user?.is_bot === true }];
    const at = said.indexOf("@");
    if ((type !== "mention" && !command) || at < 0) return [];
    const name = said.slice(at + 1).toLowerCase();
    return [{ offset, length, command, us: name === own, bot: name.endsWith("bot") }];
  });
}

function guessed(text: string): NonNullable<WireMessage["entities"]> {
  return [...text.matchAll(/(?<![\w@])(?:\/\w+)?@\w+/g)].map((match) => {
    const type = match[0].startsWith("/") ? "bot_command" : "mention";
    return { type, offset: match.index, length: match[0].length };
  });
}
