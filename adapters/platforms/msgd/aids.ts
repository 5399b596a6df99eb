import * as z from "zod";
import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import type { ChatInfo, Platform, TurnPhase } from "../../../lib/contracts/gateway/platform.js";
import { toReceipt } from "../../../lib/gateway/adapter/send-outcome.js";
import { editText, pieces, type SendParts } from "./send.js";
import { ChannelShape, GuildShape, SentShape } from "./wire.js";

const TYPING_MS = 1500;
const NAME_CHARS = 100;
const ARCHIVE_MINUTES = 1440;
const SIGNS: Readonly<Record<TurnPhase, string | undefined>> = {
  begun: "👀",
  answered: "✅",
  failed: "❌",
  stopped: undefined,
};

type Aids = Required<
  Pick<Platform, "typing" | "createThread" | "chatInfo" | "listChannels" | "react" | "onTurn" | "edit">
>;

/** What an adapter does beside messages: best effort, and nothing of it throws. */
export function chatAids(parts: SendParts): Aids {
  const { api, channels, places, settings } = parts;
  const react = async (
    channel: string,
    message: string,
    { emoji, on }: { emoji: string; on: boolean },
    signal: AbortSignal,
  ) => {
    const route = `/channels/${channel}/messages/${message}/reactions/${encodeURIComponent(emoji)}/@me` as const;
    return api.call(on ? "PUT" : "DELETE", route, { signal, totalMs: 5000 });
  };
  return {
    typing: async (chatId, on, signal, threadId) => {
      // It ends by itself after ten seconds, or with the next message.
      if (!on) return;
      const channel = threadId == null ? chatId : ((await parts.threads.place(threadId)) ?? chatId);
      await api.call("POST", `/channels/${channel}/typing`, { signal, totalMs: TYPING_MS });
    },
    createThread: async (parent, name, signal) => {
      const body = { name: name.slice(0, NAME_CHARS) || "agent", auto_archive_duration: ARCHIVE_MINUTES, type: 11 };
      const answer = await api.call("POST", `/channels/${parent}/threads`, { body, signal });
      return answer.ok ? (SentShape.safeParse(answer.result).data?.id ?? null) : null;
    },
    chatInfo: async (chatId, signal) => {
      const place = await channels.find(chatId, signal);
      return typeof place === "string"
        ? undefined
        : { chatId, name: place.name ?? chatId, type: place.kind === "direct" ? "dm" : place.kind };
    },
    listChannels: async (signal) => {
      const answer = await api.call("GET", "/users/@me/guilds", { signal });
      const guilds = answer.ok ? (z.array(GuildShape).safeParse(answer.result).data ?? []) : [];
      const found = await Promise.all(guilds.map(async ({ id, name = id }) => channelsOf(parts, { id, name }, signal)));
      return found.flat();
    },
    react: async (chatId, messageId, reaction, signal) => {
      const answer = await react(places.get(messageId) ?? chatId, messageId, reaction, signal);
      return toReceipt(answer.ok ? { saw: "accepted", messageId } : answer.seen);
    },
    onTurn: async (event, phase, signal) => {
      const { threadId, messageId } = event.source;
      if (phase === "begun" && threadId !== null) await parts.threads.place(threadId);
      const channel = channelOf(event);
      if (!settings.reactions || event.kind !== "message" || messageId === null || channel === null) return;
      const sign = SIGNS[phase];
      if (phase !== "begun") await react(channel, messageId, { emoji: "👀", on: false }, signal);
      if (sign !== undefined) await react(channel, messageId, { emoji: sign, on: true }, signal);
    },
    edit: async (chatId, messageId, text, { signal }) => {
      const [first = ""] = pieces(text);
      return editText(parts, { channel: places.get(messageId) ?? chatId, messageId, text: first }, signal);
    },
  };
}

/** Where the message itself is: one that opened a thread is not in it. */
function channelOf({ source: { chatId, threadId, messageId } }: Inbound): string | null {
  return threadId === null || threadId === messageId ? chatId : threadId;
}

const LISTED: ReadonlySet<number> = new Set([0, 5, 15]);

async function channelsOf(
  { api }: SendParts,
  guild: { readonly id: string; readonly name: string },
  signal: AbortSignal,
): Promise<readonly ChatInfo[]> {
  const answer = await api.call("GET", `/guilds/${guild.id}/channels`, { signal });
  const all = answer.ok ? (z.array(ChannelShape).safeParse(answer.result).data ?? []) : [];
  return all.flatMap(({ id, name, type }) =>
    LISTED.has(type) ? [{ chatId: id, name: name ?? id, type: type === 15 ? "forum" : "channel" }] : [],
  );
}
