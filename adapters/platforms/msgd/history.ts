import type { Ms } from "../../../lib/base/units.js";
import { plainText } from "./address.js";
import type { ReceiveParts } from "./parts.js";
import { MessageShape, type WireMessage } from "./wire.js";

const ASK_MS: Ms = 5000;
/** Of all lines together; the oldest are left out. */
const MOST_CHARS = 16_000;

/** Messages of a channel, oldest first; undefined: no answer. What cannot be read is left out. */
export async function messagesOf(
  { api, signal }: Pick<ReceiveParts, "api" | "signal">,
  channel: string,
  query: Readonly<Record<string, string>>,
): Promise<readonly WireMessage[] | undefined> {
  const answer = await api.call("GET", `/channels/${channel}/messages`, { query, signal, totalMs: ASK_MS });
  if (!answer.ok || !Array.isArray(answer.result)) return undefined;
  const found = answer.result.flatMap((one: unknown) => MessageShape.safeParse(one).data ?? []);
  return found.sort((a, b) => (isAfter(a.id, b.id) ? 1 : -1));
}

/** Ids of the platform grow with time. */
export const isAfter = (a: string, b: string): boolean => (a.length === b.length ? a > b : a.length > b.length);

/** What was said before a message, back to what the bot said last; undefined: nothing, or no answer. */
export async function recentMessages(
  parts: ReceiveParts,
  { channel_id: channel, id }: WireMessage,
): Promise<string | undefined> {
  const { settings, me, channels } = parts;
  const found = await messagesOf(parts, channel, { limit: String(settings.backfillLimit), before: id });
  if (found === undefined) return undefined;
  const earlier = found.filter((one) => isAfter(id, one.id)); // a server may ignore `before`
  const from = earlier.findLastIndex((one) => one.author.id === me) + 1;
  const lines = earlier.slice(from).flatMap((one) => {
    const bot = one.author.bot === true || one.webhook_id !== undefined;
    const text = plainText(one, me, (place) => channels.known(place)?.name ?? undefined).trim();
    if ((one.type !== 0 && one.type !== 19) || text === "" || (bot && settings.rules.bots === "none")) return [];
    const name = one.member?.nick ?? one.author.global_name ?? one.author.username ?? one.author.id;
    return [`[${name}${bot ? " (bot)" : ""}] ${text}`];
  });
  let left = MOST_CHARS;
  const kept = lines.toReversed().filter((line) => {
    left -= line.length;
    return left >= 0;
  });
  return kept.length === 0 ? undefined : ["[Recent channel messages]", ...kept.toReversed()].join("\n");
}
