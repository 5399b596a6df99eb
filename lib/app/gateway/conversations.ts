import { resolve } from "node:path";
import type { Store } from "../../../storage/store.js";
import { conversationAt, setConversation } from "../../../storage/tables/gateway-sessions.js";
import { toAppError } from "../../base/errors.js";
import type { SessionId } from "../../base/units.js";
import type { ChatOrigin } from "../../proto/board-notify.js";
import type { ChatApi, NewSession, Source } from "../../proto/chat.js";
import type { Inbound } from "../../proto/gateway.js";
import { TERMINAL_CWD } from "../../tools/keys.js";
import { defined } from "../caller.js";
import type { AppOptions } from "../options.js";

/** Which conversation the messages of a chat go to. */
export interface Conversations {
  at(sessionKey: string): Promise<SessionId | undefined>;
  /** The conversation of a chat, ready for a turn; a new one where there is none, or where it was deleted. */
  open(sessionKey: string, event: Inbound): Promise<SessionId>;
  /** The chat goes on in another conversation. */
  move(sessionKey: string, session: SessionId): Promise<void>;
}

export interface ConversationDeps {
  readonly store: Store;
  readonly chat: ChatApi;
  readonly options: AppOptions;
}

export function createConversations({ store, chat, options }: ConversationDeps): Conversations {
  const opening = new Map<string, Promise<SessionId>>();
  const at = (sessionKey: string) => store.read((q) => conversationAt(q, sessionKey));
  const move = async (sessionKey: string, session: SessionId) => {
    const now = options.clock.now();
    await store.write("gateway.session", (tx) => setConversation(tx, sessionKey, session, now));
  };
  const openNow = async (sessionKey: string, event: Inbound): Promise<SessionId> => {
    const known = await at(sessionKey);
    const front = frontOf(event, options);
    const session = (known && (await resumed(chat, known, front))) ?? (await chat.create(front)).id;
    if (session !== known) await move(sessionKey, session);
    return session;
  };
  return {
    at,
    move,
    open: (sessionKey, event) => {
      const mine = (opening.get(sessionKey) ?? Promise.resolve()).catch(() => undefined).then(() => openNow(sessionKey, event));
      opening.set(sessionKey, mine);
      return mine.finally(() => opening.get(sessionKey) === mine && opening.delete(sessionKey));
    },
  };
}

async function resumed(chat: ChatApi, id: SessionId, front: NewSession): Promise<SessionId | undefined> {
  try {
    return (await chat.resume(id, front)).id;
  } catch (error) {
    if (toAppError(error).code === "E_NOT_FOUND") return undefined;
    throw error;
  }
}

/** What a conversation in a chat runs with. Nobody looks at it: what would ask is denied, unless somebody has it open elsewhere. */
export function frontOf(event: Inbound, { config, env, home }: AppOptions): NewSession {
  return {
    source: event.platform as Source, // only platforms send messages
    cwd: resolve(env["HOME"] ?? home.dir, config.get(TERMINAL_CWD)),
    env: defined(env),
    origin: originOf(event),
  };
}

export function originOf({ platform, source }: Inbound): ChatOrigin {
  return {
    platform,
    chat_id: source.chatId ?? source.userId ?? "",
    ...(source.threadId === null ? {} : { thread_id: source.threadId }),
    ...(source.userId === null ? {} : { user_id: source.userId }),
    ...(source.userName === null ? {} : { user_name: source.userName }),
  };
}
