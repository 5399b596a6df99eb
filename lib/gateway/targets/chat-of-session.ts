import type { Store } from "../../../storage/store.js";
import { entryOfSession, type GatewayEntry } from "../../../storage/tables/gateway/sessions.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";

/** Segments of a conversation that are looked at. */
const SEGMENTS = 50;

/** The chat of a conversation, which a compaction may have given another segment; undefined: it is not in a chat. */
export async function chatOfSession(
  store: Store,
  chat: Pick<ChatApi, "get">,
  session: SessionId,
): Promise<GatewayEntry | undefined> {
  let record = await chat.get(session);
  const root = record?.lineage_root;
  for (let looked = 0; record !== undefined && record.lineage_root === root && looked < SEGMENTS; looked++) {
    const { id }: { readonly id: SessionId } = record;
    const entry = await store.read((q) => entryOfSession(q, id));
    if (entry !== undefined) return entry;
    const parent: SessionId | null = record.parent_session_id;
    record = parent === null ? undefined : await chat.get(parent);
  }
  return undefined;
}
