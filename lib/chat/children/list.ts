import { delegated, firstUserMessage } from "../../../storage/tables/sessions/records.js";
import type { SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { ChildInfo } from "../../contracts/chat/children.js";
import { headText } from "../../safety/redact/text.js";
import type { SessionStores } from "../sessions/session-stores.js";
import { sumSessionTokens } from "./outcome.js";

/** Children of the lineage of a session, oldest first; without one those that run at this moment. @throws nothing for an unknown session */
export async function listChildren(
  stores: SessionStores,
  running: readonly ChildInfo[],
  parent: SessionId | undefined,
): Promise<readonly ChildInfo[]> {
  if (parent === undefined) return running;
  const { store, sessions } = await stores.of(parent);
  const root = (await sessions.get(parent))?.lineage_root;
  if (root === undefined) return [];
  const now = new Map(running.map((info) => [info.id, info]));
  return store.read(async (q) => {
    const found: ChildInfo[] = [];
    for (const session of await delegated(q, root))
      found.push(now.get(session.id) ?? stored(session, (await firstUserMessage(q, session.lineage_root)) ?? ""));
    return found;
  });
}

/** A child that does not run any more. One whose record was never closed ended with its owner. */
function stored(session: SessionRecord, goal: string): ChildInfo {
  return {
    id: session.id,
    parent_session_id: session.parent_session_id ?? session.id,
    goal: headText(goal, 500),
    role: "leaf",
    status: session.end_reason ?? "interrupted",
    background: false,
    tokens: sumSessionTokens(session),
    tool: null,
    duration_ms: Math.max(0, (session.ended_at ?? session.last_active_at) - session.started_at),
    started_at: session.started_at,
  };
}
