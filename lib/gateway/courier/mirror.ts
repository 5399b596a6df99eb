import type { Store } from "../../../storage/store.js";
import { chatAt } from "../../../storage/tables/gateway-chats.js";
import { conversationAt } from "../../../storage/tables/gateway-sessions.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log.js";
import type { SessionId } from "../../base/units.js";
import type { OutboxRow, SendKind } from "../../proto/gateway-outbox.js";

export interface MirrorDeps {
  readonly store: Store;
  readonly log: Log;
  readonly mirror: (session: SessionId, text: string, about: string) => Promise<void>;
}

const REMEMBERED = 1000;

const ABOUT: Partial<Record<SendKind, string>> = {
  cron: "A scheduled job delivered the following message to this chat.",
  tool: "The following message was sent to this chat from elsewhere.",
};

/** Kinds of messages that the conversation of their chat should know. */
export const isMirrored = ({ kind }: Pick<OutboxRow, "kind">): boolean => ABOUT[kind] !== undefined;

/** Adds what was sent to the conversation of its chat, each message once in this process. */
export function createMirror(deps: MirrorDeps): (row: OutboxRow) => Promise<boolean> {
  const known = new Map<string, Promise<boolean>>();
  return (row) => {
    const begun = known.get(row.id);
    if (begun !== undefined) return begun;
    const mine = mirrored(deps, row);
    known.set(row.id, mine);
    for (const oldest of known.keys()) if (known.size > REMEMBERED) known.delete(oldest);
    return mine;
  };
}

async function mirrored({ store, log, mirror }: MirrorDeps, row: OutboxRow): Promise<boolean> {
  const { platform, chat_id, thread_id, kind, state, payload } = row;
  const text: unknown = payload === null ? "" : JSON.parse(payload).text;
  if (state !== "sent" || typeof text !== "string" || text.trim() === "") return false;
  try {
    const chat = await store.read((q) => chatAt(q, { platform, chat_id, thread_id: thread_id ?? "" }));
    const session = chat && (await store.read((q) => conversationAt(q, chat.session_key)));
    if (session === undefined) return false;
    await mirror(session, text, ABOUT[kind] ?? "The following message was sent to this chat.");
    return true;
  } catch (error) {
    log.warning("a conversation does not know what its chat was sent", { id: row.id, error: toAppError(error).message });
    return false;
  }
}
