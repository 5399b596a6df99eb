import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import { addressed, channelFits, plainText, threadName } from "./address.js";
import type { Place } from "./channels.js";
import { recentMessages } from "./history.js";
import { NotNow } from "./intake.js";
import { interactionEvent, messageEvent, type NormaliseDeps } from "./normalise.js";
import type { ReceiveParts } from "./parts.js";
import type { Dispatch } from "./session.js";
import type { MsgdSettings } from "./settings.js";
import { InteractionShape, MemberShape, MessageShape, type WireMessage } from "./wire.js";

/** The event of a dispatch; undefined: it is not for us, now and for ever. @throws NotNow when a request is needed and is not answered */
export async function readDispatch(
  parts: ReceiveParts,
  { type, data }: Dispatch,
  last: boolean,
): Promise<Inbound | undefined> {
  if (type === "MESSAGE_CREATE") {
    const read = MessageShape.safeParse(data);
    if (read.success) return readMessage(parts, read.data, last);
    parts.log.warning("a message of the platform cannot be read", {
      tag: "msgd",
      why: read.error.issues[0]?.path.join(".") ?? "",
    });
    return undefined;
  }
  if (type === "INTERACTION_CREATE") {
    const read = InteractionShape.safeParse(data);
    if (!read.success) return undefined;
    const { channel_id: id, guild_id: guild, type: kind, member, user } = read.data;
    const place = id === undefined ? undefined : await placeOf(parts, id, guild, last);
    const channels = id === undefined ? [] : [id, ...(place?.parentId == null ? [] : [place.parentId])];
    if (kind === 2 && guild !== undefined && !channelFits(channels, parts.settings.rules)) return undefined;
    const event = interactionEvent(read.data, place, depsOf(parts), parts.clock.now());
    const who = { user: member?.user.id ?? user?.id ?? "", guild, roles: member?.roles };
    return event && { ...event, ...(await decided(parts, who)) };
  }
  parts.channels.learn(type, data);
  return undefined;
}

const depsOf = ({ settings, me, channels }: ReceiveParts): NormaliseDeps => ({ settings, me, channels });

async function readMessage(parts: ReceiveParts, message: WireMessage, last: boolean): Promise<Inbound | undefined> {
  const { settings, channels, me, signal } = parts;
  const { rules } = settings;
  // What can be decided without a request comes first: most messages of a server are not for us.
  if (message.author.id === me) return undefined;
  const known = channels.known(message.channel_id);
  if (known?.kind === "channel" && addressed(message, known, me, rules).verdict === "no") return undefined;
  const place = await placeOf(parts, message.channel_id, message.guild_id, last);
  const { us, verdict } = addressed(message, place, me, rules);
  if (verdict === "no") return undefined;
  if (verdict === "ask") {
    const part = await channels.takesPart(message.channel_id, signal);
    if (part === "unreachable" && !last) throw new NotNow("failed to read whether the bot takes part in a thread");
    if (part !== true) return undefined;
  }
  const thread = us && opens(message, place, settings) ? message.id : null;
  const event = messageEvent(message, place, depsOf(parts), thread);
  if (thread !== null)
    parts.threads.will(thread, {
      parent: message.channel_id,
      name: threadName(event.type === "text" ? event.text : textOf(parts, message)),
    });
  const who = { user: message.author.id, guild: message.guild_id, roles: message.member?.roles };
  const own = message.author.bot === true ? ({ decided: "bot" } as const) : await decided(parts, who);
  return { ...event, ...own, ...(await around(parts, event, message, us)) };
}

const textOf = ({ me, channels }: ReceiveParts, message: WireMessage) =>
  plainText(message, me, (id) => channels.known(id)?.name ?? undefined);

/** A message of a channel that addresses the bot opens a thread (gateway part, 16.2.3). */
function opens(
  message: WireMessage,
  place: Place | undefined,
  { autoThread, noThreadChannels, rules }: MsgdSettings,
): boolean {
  if (!autoThread || message.guild_id === undefined || message.type === 19) return false;
  if (place !== undefined && place.kind !== "channel") return false;
  return !noThreadChannels.includes(message.channel_id) && !rules.freeChannels.includes(message.channel_id);
}

/** Direct chats are known as such: only places of servers are asked for. */
async function placeOf(
  { channels, signal }: ReceiveParts,
  id: string,
  guild: string | undefined,
  last: boolean,
): Promise<Place | undefined> {
  if (guild === undefined) return channels.known(id);
  const found = await channels.find(id, signal);
  if (found === "unreachable" && !last) throw new NotNow("failed to read the kind of a channel");
  return typeof found === "string" ? undefined : found;
}

interface Who {
  readonly user: string;
  readonly guild: string | undefined;
  readonly roles: readonly string[] | undefined;
}

/** Roles count in the server that gave them; in direct chats only those of the server that is named for it. */
async function decided(
  { settings, api, signal }: ReceiveParts,
  { user, guild, roles }: Who,
): Promise<{ readonly decided?: "role" }> {
  const { allowedRoles, dmRoleGuild } = settings.rules;
  const has = (mine: readonly string[]) => mine.some((one) => allowedRoles.includes(one));
  if (allowedRoles.length === 0) return {};
  if (guild !== undefined) return has(roles ?? []) ? { decided: "role" } : {};
  if (dmRoleGuild === undefined) return {};
  const answer = await api.call("GET", `/guilds/${dmRoleGuild}/members/${user}`, { signal, totalMs: 5000 });
  return answer.ok && has(MemberShape.safeParse(answer.result).data?.roles ?? []) ? { decided: "role" } : {};
}

/** What was said in a channel before the bot was called. */
async function around(
  parts: ReceiveParts,
  event: Inbound,
  message: WireMessage,
  us: boolean,
): Promise<Pick<Inbound, "context">> {
  const { settings, channels } = parts;
  const wanted =
    settings.backfill && settings.backfillLimit > 0 && us && message.guild_id !== undefined && event.kind === "message";
  if (!wanted || channels.known(message.channel_id)?.kind === "thread") return {};
  const context = await recentMessages(parts, message);
  return context === undefined ? {} : { context };
}
