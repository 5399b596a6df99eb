import { toAppError } from "../../../lib/base/errors.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { Inlet } from "../../../lib/contracts/board/platform-tag.js";
import type { Api } from "./api.js";
import { ChannelShape, GuildShape, type WireChannel } from "./wire.js";

/** What kind of place a channel is. */
export interface Place {
  readonly id: string;
  readonly kind: "direct" | "group" | "channel" | "forum" | "thread";
  readonly name: string | null;
  readonly topic: string | null;
  readonly guildId: string | null;
  /** Of a thread: the channel that it is in. */
  readonly parentId: string | null;
  /** The bot takes part in this thread. */
  readonly joined: boolean;
}

/** Channels as far as they are known: what the platform told, and what was asked. */
export interface Channels {
  /** Learn from an event of the platform; others are passed over. */
  learn(type: string, data: unknown): void;
  known(id: string): Place | undefined;
  /** What is not known is asked for. `unreachable`: no answer. */
  find(id: string, signal: AbortSignal): Promise<Place | "absent" | "unreachable">;
  /** Whether the bot has taken part in a thread; known over a restart. */
  takesPart(id: string, signal: AbortSignal): Promise<boolean | "unreachable">;
  /** The bot wrote there. */
  wrote(id: string): void;
}

const KNOWN = 20_000;
const KINDS: Readonly<Record<number, Place["kind"]>> = {
  1: "direct",
  3: "group",
  10: "thread",
  11: "thread",
  12: "thread",
  15: "forum",
  16: "forum",
};
const ASK_MS = 5000;

/** Name of what is stored of threads that the bot wrote in, and how many of them. */
const CURSOR = "threads";
const REMEMBERED = 1000;

export interface ChannelsDeps {
  readonly api: Api;
  /** Id of the bot. */
  readonly me: string;
  readonly inlet: Pick<Inlet, "cursor" | "acceptBatch">;
  readonly log: Log;
}

export function createChannels({ api, me, inlet, log }: ChannelsDeps): Channels {
  const threads = createThreadMemory(inlet, me, log);
  const places = new Map<string, Place>();
  const strangers = new Set<string>();
  const keep = (place: Place) => {
    const before = places.get(place.id);
    places.delete(place.id);
    places.set(place.id, before?.joined === true ? { ...place, joined: true } : place);
    const [oldest] = places.keys();
    if (places.size > KNOWN && oldest !== undefined) places.delete(oldest);
  };
  const keepAll = (found: readonly unknown[], guild: string) => {
    for (const one of found) {
      const read = ChannelShape.safeParse(one).data;
      if (read !== undefined) keep(placeOf({ ...read, guild_id: guild }, me));
    }
  };
  const find = async (id: string, signal: AbortSignal) => {
    const known = places.get(id);
    if (known !== undefined) return known;
    const answer = await api.call("GET", `/channels/${id}`, { signal, totalMs: ASK_MS });
    if (!answer.ok)
      return answer.seen.saw === "answer" && answer.seen.status < 500 && answer.seen.status !== 429
        ? "absent"
        : "unreachable";
    const read = ChannelShape.safeParse(answer.result).data;
    if (read === undefined) return "absent";
    keep(placeOf(read, me));
    return places.get(id) ?? "absent";
  };
  return {
    find,
    known: (id) => places.get(id),
    learn: (type, data) => {
      if (type === "GUILD_CREATE") {
        const guild = GuildShape.safeParse(data).data;
        if (guild !== undefined) keepAll([...guild.channels, ...guild.threads], guild.id);
        return;
      }
      if (!/^(?:CHANNEL|THREAD)_(?:CREATE|UPDATE|DELETE)$/.test(type)) return;
      const read = ChannelShape.safeParse(data).data;
      if (read === undefined) return;
      if (type.endsWith("DELETE")) places.delete(read.id);
      else keep(placeOf(read, me));
    },
    takesPart: async (id, signal) => {
      if (places.get(id)?.joined === true) return true;
      if (await threads.has(id)) return true;
      if (strangers.has(id)) return false;
      const answer = await api.call("GET", `/channels/${id}/thread-members/${me}`, { signal, totalMs: ASK_MS });
      if (!answer.ok && !(answer.seen.saw === "answer" && answer.seen.status < 500 && answer.seen.status !== 429))
        return "unreachable";
      const place = places.get(id);
      if (answer.ok && place !== undefined) places.set(id, { ...place, joined: true });
      if (!answer.ok) strangers.add(id);
      if (strangers.size > KNOWN) strangers.clear();
      return answer.ok;
    },
    wrote: (id) => {
      strangers.delete(id);
      const place = places.get(id);
      if (place !== undefined) places.set(id, { ...place, joined: true });
      if (place === undefined || place.kind === "thread") threads.add(id);
    },
  };
}

/** Threads that the bot wrote in, stored beside the cursors of its account. A channel in between is harmless: only threads are looked up. */
function createThreadMemory(inlet: ChannelsDeps["inlet"], me: string, log: Log) {
  const account = { platform: "msgd", account: me } as const;
  let known: readonly string[] | undefined;
  let storing: Promise<void> = Promise.resolve();
  const read = async (): Promise<readonly string[]> => {
    known ??= JSON.parse((await inlet.cursor(account, CURSOR)) ?? "[]") as readonly string[]; // written below
    return known;
  };
  const store = async (id: string): Promise<void> => {
    const before = await read();
    if (before.includes(id)) return;
    const next = [...before, id].slice(-REMEMBERED);
    const { result } = await inlet.acceptBatch([], { ...account, name: CURSOR, value: JSON.stringify(next) });
    if (result !== "busy") known = next;
  };
  const told = (error: unknown): undefined => {
    log.warning("failed to read or store the threads that the bot wrote in", {
      tag: "msgd",
      error: toAppError(error).message,
    });
  };
  return {
    has: async (id: string) => {
      const found = await read().catch((error: unknown) => told(error));
      return found?.includes(id) === true;
    },
    add: (id: string) => {
      storing = storing.then(() => store(id)).catch(told);
    },
  };
}

function placeOf(
  { id, type, name, topic, guild_id: guild, parent_id: parent, owner_id: owner, member, recipients }: WireChannel,
  me: string,
): Place {
  const kind = KINDS[type] ?? "channel";
  const [other] = recipients ?? [];
  return {
    id,
    kind,
    name: name ?? other?.global_name ?? other?.username ?? null,
    topic: topic ?? null,
    guildId: guild ?? null,
    parentId: kind === "thread" ? (parent ?? null) : null,
    joined: kind === "thread" && (owner === me || (member !== undefined && member !== null)),
  };
}
