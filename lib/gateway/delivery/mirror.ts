import type { Store } from "../../../storage/store.js";
import { chatAt } from "../../../storage/tables/gateway/chats.js";
import { conversationAt } from "../../../storage/tables/gateway/sessions.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { SessionId } from "../../base/units.js";
import type { OutboxRow, SendKind } from "../../contracts/gateway/outbox.js";
import type { TargetPlace } from "../../contracts/gateway/targets.js";

export interface CourierMirrorDeps {
  readonly store: Store;
  readonly log: Log;
  readonly conversations: MirrorConversations;
}

/** What the mirror needs of conversations. */
export interface MirrorConversations {
  /** Waits while a turn runs. */
  mirror(session: SessionId, text: string, about: string): Promise<void>;
  isBusy(session: SessionId): Promise<boolean>;
  /** Whether both are segments of one conversation. */
  isSame(one: SessionId, other: SessionId): Promise<boolean>;
}

/** Adds what chats were sent to their conversations, each message once in this process. */
export interface Mirror {
  /** @returns whether it was added; false when no conversation is there, or adding failed */
  add(row: OutboxRow): Promise<boolean>;
  /** Add it without waiting for a running turn. @returns false also when it is added once that turn has ended */
  addUnlessBusy(row: OutboxRow): Promise<boolean>;
  /** Never add these: the conversation holds them as calls of its own turn. */
  exempt(ids: readonly string[]): void;
  /** Whether messages to this place belong to the conversation of a session. */
  isConversation(place: TargetPlace, session: SessionId): Promise<boolean>;
}

const REMEMBERED = 1000;

const ABOUT: Partial<Record<SendKind, string>> = {
  cron: "A scheduled job delivered the following message to this chat.",
  tool: "The following message was sent to this chat from elsewhere.",
};

/** Kinds of messages that the conversation of their chat should know. */
export const isMirrored = ({ kind }: Pick<OutboxRow, "kind">): boolean => ABOUT[kind] !== undefined;

export function createMirror(deps: CourierMirrorDeps): Mirror {
  const known = new Map<string, Promise<boolean>>();
  const remember = (id: string, work: Promise<boolean>): Promise<boolean> => {
    known.set(id, work);
    for (const oldest of known.keys()) if (known.size > REMEMBERED) known.delete(oldest);
    return work;
  };
  const add = (row: OutboxRow) => known.get(row.id) ?? remember(row.id, addToConversation(deps, row));
  return {
    add,
    addUnlessBusy: async (row) => {
      const session = await conversationOf(deps, row).catch(() => undefined); // ok to lose: `add` logs the same failure
      const busy = session !== undefined && (await deps.conversations.isBusy(session));
      const adding = add(row);
      return busy ? false : adding;
    },
    exempt: (ids) => {
      for (const id of ids) remember(id, Promise.resolve(false)).catch(() => undefined); // ok to lose: it is resolved
    },
    isConversation: async ({ platform, chatId, threadId }, session) => {
      const found = await conversationOf(deps, { platform, chat_id: chatId, thread_id: threadId });
      return found !== undefined && deps.conversations.isSame(found, session);
    },
  };
}

async function addToConversation(deps: CourierMirrorDeps, row: OutboxRow): Promise<boolean> {
  const { log, conversations } = deps;
  const { kind, state, payload } = row;
  const text: unknown = payload === null ? "" : JSON.parse(payload).text;
  if (state !== "sent" || typeof text !== "string" || text.trim() === "") return false;
  try {
    const session = await conversationOf(deps, row);
    if (session === undefined) return false;
    await conversations.mirror(session, text, ABOUT[kind] ?? "The following message was sent to this chat.");
    return true;
  } catch (error) {
    log.warning("failed to add a sent message to the conversation of its chat", {
      id: row.id,
      error: toAppError(error).message,
    });
    return false;
  }
}

async function conversationOf(
  { store }: CourierMirrorDeps,
  { platform, chat_id, thread_id }: Pick<OutboxRow, "platform" | "chat_id" | "thread_id">,
): Promise<SessionId | undefined> {
  const chat = await store.read((q) => chatAt(q, { platform, chat_id, thread_id: thread_id ?? "" }));
  return chat && store.read((q) => conversationAt(q, chat.session_key));
}
