import type { Place } from "./channels.js";
import type { ReceiveRules } from "./settings.js";
import type { WireMessage } from "./wire.js";

/** What is known of a message without a request. */
export interface Addressed {
  /** It names the bot. */
  readonly us: boolean;
  /** `ask`: only if the bot takes part in its thread. */
  readonly verdict: "yes" | "no" | "ask";
}

const MESSAGE_TYPES = new Set([0, 19]);

/** Whether a message is meant for the bot: the rules of gateway part, 16.2.2, in their order. Needs no I/O. */
export function addressed(message: WireMessage, place: Place | undefined, me: string, rules: ReceiveRules): Addressed {
  const us = message.mentions.some(({ id }) => id === me);
  const guild = message.guild_id !== undefined;
  const verdict = (): Addressed["verdict"] => {
    if (message.author.id === me || !MESSAGE_TYPES.has(message.type)) return "no";
    const bot = message.author.bot === true || message.webhook_id !== undefined;
    if (bot && (rules.bots === "none" || (rules.bots === "mentions" && !us))) return "no";
    if (rules.ignoreNoMention && !us && message.mentions.some((one) => one.bot === true && one.id !== me)) return "no";
    if (!guild) return "yes";
    const channels = [message.channel_id, ...(place?.parentId == null ? [] : [place.parentId])];
    if (!channelFits(channels, rules)) return "no";
    if (us || !rules.requireMention || channels.some((one) => rules.freeChannels.includes(one))) return "yes";
    return place?.kind === "thread" && !rules.threadRequireMention ? "ask" : "no";
  };
  return { us, verdict: verdict() };
}

/** @param channels the channel and, for a thread, its parent */
export function channelFits(channels: readonly string[], { allowedChannels, ignoredChannels }: ReceiveRules): boolean {
  if (allowedChannels.length > 0 && !channels.some((one) => allowedChannels.includes(one))) return false;
  return !channels.some((one) => ignoredChannels.includes(one));
}

/** The text as a person reads it: without the bot's own mention, others as `@name`, channels as `#name`. */
export function plainText(
  message: Pick<WireMessage, "content" | "mentions">,
  me: string,
  channel: (id: string) => string | undefined,
): string {
  const names = new Map(message.mentions.map((user) => [user.id, user.global_name ?? user.username ?? user.id]));
  const named = message.content
    .replace(/<@!?(\d+)>/g, (_, id: string) => (id === me ? "" : `@${names.get(id) ?? id}`))
    .replace(/<#(\d+)>/g, (whole, id: string) => (channel(id) === undefined ? whole : `#${channel(id)}`))
    .replace(/<@&\d+>/g, "@role")
    .replace(/<a?(:\w+:)\d+>/g, "$1");
  const own = new RegExp(`<@!?${me}>`).test(message.content);
  return own ? named.replace(/(\S) {2,}(?=\S)/g, "$1 ").trim() : named;
}

const THREAD_CHARS = 80;

/** Name of the thread that a message opens. */
export function threadName(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  if (line === "") return "agent";
  if (line.length <= THREAD_CHARS) return line;
  const cut = line.slice(0, THREAD_CHARS - 3);
  return `${/[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut}...`;
}
