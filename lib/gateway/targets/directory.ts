import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import { chatsOf, noteChat, type SeenChat } from "../../../storage/tables/gateway/chats.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import type { Inbound, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import type { KnownChat } from "../../contracts/gateway/targets.js";
import { toPlatformTag } from "./resolve-targets.js";

export interface DirectoryDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  /** Who can be asked for its channels. */
  readonly connected: () => readonly Platform[];
}

/** Chats by name (gateway part, 13.5). */
export interface Directory {
  /** Where the platform can list: what it listed in the last five minutes, threads that were seen along; else the chats that were seen. */
  of(platform: PlatformTag): Promise<readonly KnownChat[]>;
  /** A message came from this chat. Never rejects. */
  seen(event: Inbound, sessionKey: string): Promise<void>;
}

const FRESH: Ms = 300_000;
const LIST_MS: Ms = 10_000;
const CHATS = 1000;
const REMEMBERED = 2000;
const HOUR: Ms = 3_600_000;

export function createDirectory(deps: DirectoryDeps): Directory {
  const listed = new Map<PlatformTag, { readonly at: EpochMs; readonly entries: readonly KnownChat[] }>();
  const noted = new Map<string, { readonly text: string; readonly at: EpochMs }>();
  return {
    of: async (platform) => {
      const now = deps.clock.now();
      const known = listed.get(platform);
      const fresh = known !== undefined && Math.abs(now - known.at) < FRESH;
      const entries = fresh ? known.entries : ((await listOf(deps, platform)) ?? known?.entries ?? []);
      if (!fresh && entries.length > 0) listed.set(platform, { at: now, entries });
      return merged(entries, await seenOf(deps, platform));
    },
    seen: async (event, sessionKey) => {
      const chat = chatOf(event, sessionKey, deps.clock.now());
      if (chat === undefined) return;
      const key = JSON.stringify([chat.platform, chat.account, chat.chat_id, chat.thread_id]);
      const text = JSON.stringify([chat.name, chat.guild, chat.session_key]);
      const last = noted.get(key);
      if (last?.text === text && Math.abs(chat.seen_at - last.at) < HOUR) return;
      noted.delete(key);
      noted.set(key, { text, at: chat.seen_at });
      for (const oldest of noted.keys()) if (noted.size > REMEMBERED) noted.delete(oldest);
      try {
        await noteChat(autocommit(deps.store, "gateway.chat"), chat);
      } catch (error) {
        noted.delete(key);
        deps.log.warning("failed to get the name of a chat", { error: toAppError(error).message });
      }
    },
  };
}

function chatOf({ platform, account, source }: Inbound, session_key: string, seen_at: EpochMs): SeenChat | undefined {
  const chat_id = source.chatId ?? (source.chatType === "dm" ? source.userId : null);
  if (chat_id === null || toPlatformTag(platform) === undefined) return undefined;
  const name = source.chatName ?? (source.chatType === "dm" ? source.userName : null);
  const place = { platform, account, chat_id, thread_id: source.threadId ?? "", chat_type: source.chatType };
  return { ...place, name, guild: source.guildId, session_key, seen_at };
}

/** Undefined: it cannot be asked, or does not say. */
async function listOf(
  { connected, clock, log }: DirectoryDeps,
  platform: PlatformTag,
): Promise<readonly KnownChat[] | undefined> {
  const found = connected().find(({ tag }) => tag === platform);
  if (found?.listChannels === undefined) return undefined;
  const control = new AbortController();
  const cancel = clock.after(LIST_MS, () => control.abort(new Error("timeout")));
  try {
    const channels = await found.listChannels(control.signal);
    return channels.map(({ chatId, name, type }) => ({ platform, chatId, threadId: null, name, type }));
  } catch (error) {
    log.warning("failed to list the channels of a platform", { platform, error: toAppError(error).message });
    return undefined;
  } finally {
    cancel();
  }
}

async function seenOf({ store }: DirectoryDeps, platform: PlatformTag): Promise<readonly KnownChat[]> {
  const rows = await store.read((q) => chatsOf(q, platform, CHATS));
  return rows.map((row) => ({
    platform,
    chatId: row.chat_id,
    threadId: row.thread_id === "" ? null : row.thread_id,
    name: row.name ?? row.chat_id,
    type: row.chat_type,
    ...(row.guild === null ? {} : { guild: row.guild }),
  }));
}

/** What the platform says wins over what was seen. */
function merged(listed: readonly KnownChat[], seen: readonly KnownChat[]): readonly KnownChat[] {
  const all = new Map(listed.map((entry) => [keyOf(entry), entry]));
  for (const entry of seen) if (!all.has(keyOf(entry))) all.set(keyOf(entry), entry);
  return [...all.values()].slice(0, CHATS);
}

const keyOf = ({ chatId, threadId }: KnownChat): string => JSON.stringify([chatId, threadId]);
