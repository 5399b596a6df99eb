import type { Store } from "../../../storage/store.js";
import { once } from "../../base/async/lazy.js";
import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { SessionRecord } from "../../contracts/chat/chat.js";
import type { Hub } from "../transcript/hub.js";
import { noSession } from "../transcript/session-record.js";
import { hydrateFresh } from "../transcript/transcript-events.js";
import { createSessions, type SessionInput, type Sessions } from "./sessions.js";
import { completeDeletions, type SessionFiles } from "./sessions-delete.js";
import { createSessionSearch, type SessionSearch } from "./sessions-search.js";

export type { SessionInput } from "./sessions.js";

/** The sessions of one store. */
export interface OpenSessionStore {
  readonly store: Store;
  readonly sessions: Sessions;
  readonly search: SessionSearch;
}

/** Kept sessions, and ephemeral ones that never touch the disk. */
export interface SessionStores {
  kept(): Promise<OpenSessionStore>;
  /** Those that are open, and the kept one. */
  all(): Promise<readonly OpenSessionStore[]>;
  /** The store that holds this session. */
  of(id: SessionId): Promise<OpenSessionStore>;
  create(input: SessionInput): Promise<SessionRecord>;
  /** A session that was made in the store of another one. */
  adopt(session: SessionRecord, like: SessionId): SessionRecord;
  /** Release what is in memory only. The session store is closed by its opener. */
  close(): Promise<void>;
}

export interface SessionStoresDeps {
  store(): Promise<Store>;
  memory(): Promise<Store>;
  readonly ports: { readonly clock: Clock; readonly ids: Ids };
  readonly files: SessionFiles;
  /** Called when a turn of a kept session has ended, after its listeners were notified. It must not throw. */
  turnEnded?(store: Store, session: SessionId): void;
  /** The owner only looks: nothing is completed. */
  readonly readonly: boolean;
}

export function openSessionStores(deps: SessionStoresDeps, hub: Hub): SessionStores {
  const ephemeral = new Set<SessionId>();
  const kept = once(async () => {
    const store = await deps.store();
    if (!deps.readonly) await completeDeletions({ store, clock: deps.ports.clock, files: deps.files });
    const held = toHandle(store, deps, hub);
    store.onEvents((events) => {
      for (const { kind, session } of events)
        if (kind === "turn.ended" && session !== undefined) deps.turnEnded?.(store, session as SessionId); // the store wrote it from one
    });
    return held;
  });
  const memory = once(async () => {
    const store = await deps.memory();
    // A compaction makes a further session in the same store.
    store.onEvents((events) => {
      for (const { session } of events) if (session !== undefined) ephemeral.add(session as SessionId); // written from one
    });
    return toHandle(store, deps, hub);
  });
  return {
    kept,
    all: async () => {
      const aside = await memory.peek();
      return aside === undefined ? [await kept()] : [await kept(), aside];
    },
    of: (id) => (ephemeral.has(id) ? memory() : kept()),
    create: async (input) => {
      const session = await (await (input.ephemeral ? memory() : kept())).sessions.create(input);
      if (input.ephemeral) ephemeral.add(session.id);
      return session;
    },
    adopt: (session, like) => {
      if (ephemeral.has(like)) ephemeral.add(session.id);
      return session;
    },
    close: async () => (await memory.peek())?.store.close(),
  };
}

/** A session as it is stored, and where. @throws E_NOT_FOUND */
export async function knownSession(
  stores: SessionStores,
  id: SessionId,
): Promise<{ readonly store: Store; readonly session: SessionRecord }> {
  const { store, sessions } = await stores.of(id);
  const session = await sessions.get(id);
  if (!session) throw noSession(id);
  return { store, session };
}

function toHandle(store: Store, deps: SessionStoresDeps, hub: Hub): OpenSessionStore {
  const { clock, ids } = deps.ports;
  store.onEvents((events) => {
    for (const session of new Set(events.map((event) => event.session))) {
      if (session === undefined) continue;
      const own = events.filter((one) => one.session === session);
      hub.durable(session, () => hydrateFresh(store, own));
    }
  });
  return { store, sessions: createSessions({ store, clock, ids }), search: createSessionSearch(store, clock) };
}
