import type { EpochMs } from "../../../lib/base/units.js";
import type { ChatType, EventOrigin } from "../../../lib/contracts/board/platform-tag.js";
import type { Autocommit } from "../../alone.js";
import type { Query } from "../../store.js";

/** A chat that messages came from. */
export interface SeenChat {
  readonly platform: EventOrigin;
  readonly account: string;
  readonly chat_id: string;
  /** Empty: the chat itself. */
  readonly thread_id: string;
  readonly chat_type: ChatType;
  readonly name: string | null;
  readonly guild: string | null;
  /** Conversation of its last message. */
  readonly session_key: string;
  readonly seen_at: EpochMs;
}

/** Note a chat, or what is new of it; a name that is known is not lost. */
export async function noteChat(tx: Autocommit, chat: SeenChat): Promise<void> {
  const { platform, account, chat_id, thread_id, chat_type, name, guild, session_key, seen_at } = chat;
  await tx.run(
    `INSERT INTO gateway_chats (platform, account, chat_id, thread_id, chat_type, name, guild, session_key, seen_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (platform, account, chat_id, thread_id) DO UPDATE SET chat_type = excluded.chat_type, name = coalesce(excluded.name, name),
       guild = coalesce(excluded.guild, guild), session_key = excluded.session_key, seen_at = excluded.seen_at`,
    [platform, account, chat_id, thread_id, chat_type, name, guild, session_key, seen_at],
  );
}

/** Chats of a platform, the last seen first. */
export async function chatsOf(q: Query, platform: EventOrigin, limit: number): Promise<SeenChat[]> {
  return q.all<SeenChat>(
    "SELECT * FROM gateway_chats WHERE platform = ? ORDER BY seen_at DESC, chat_id, thread_id LIMIT ?",
    [platform, limit],
  );
}

/** A chat of any account, the last seen first; undefined: without messages so far. */
export async function chatAt(
  q: Query,
  { platform, chat_id, thread_id }: Pick<SeenChat, "platform" | "chat_id" | "thread_id">,
): Promise<SeenChat | undefined> {
  const sql =
    "SELECT * FROM gateway_chats WHERE platform = ? AND chat_id = ? AND thread_id = ? ORDER BY seen_at DESC LIMIT 1";
  return q.get<SeenChat>(sql, [platform, chat_id, thread_id]);
}
