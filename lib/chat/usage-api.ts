import type { Store } from "../../storage/store.js";
import * as events from "../../storage/tables/sessions/events.js";
import { AppError } from "../base/errors.js";
import type { Clock } from "../base/time/clock.js";
import type { SessionId } from "../base/units.js";
import type { LastRequest, UsageApi } from "../contracts/chat/usage.js";
import type { SessionActor } from "./session-actor/session-actor.js";
import { costSince, insights, sessionCost } from "./sessions/cost.js";
import type { SessionStores } from "./sessions/session-stores.js";

/** Events of a session that are looked through for the newest request. */
const LOOK_BACK = 500;

export function usageApi(
  stores: SessionStores,
  actor: (id: SessionId) => Promise<SessionActor>,
  clock: Clock,
): UsageApi {
  return {
    context: async (id) => {
      const report = await (await actor(id)).conversation.context();
      return { ...report, last_request: (await lastRequest((await stores.of(id)).store, report.session_id)) ?? null };
    },
    cost: async (scope, id) => {
      if (scope !== "session") return costSince((await stores.kept()).store, clock, scope);
      if (id === undefined) throw new AppError("E_INVALID", "missing session for the cost", { hint: "pass a session" });
      return sessionCost((await stores.of(id)).store, id);
    },
    insights: async (days) => insights((await stores.kept()).store, clock, days),
  };
}

async function lastRequest(store: Store, session: SessionId): Promise<LastRequest | undefined> {
  const found = (await store.read((q) => events.newestOf(q, session, LOOK_BACK))).find(({ kind }) => kind === "usage");
  if (found === undefined) return undefined;
  const count = (name: string) => Number(found.payload[name] ?? 0);
  const fresh = count("input_tokens");
  const read = count("cache_read_tokens");
  const written = count("cache_write_tokens");
  const prompt = fresh + read + written;
  return {
    fresh,
    cached_read: read,
    cached_write: written,
    reasoning: count("reasoning_tokens"),
    output: count("output_tokens"),
    cache_share: prompt === 0 ? 0 : read / prompt,
  };
}
