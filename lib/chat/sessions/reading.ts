import type { Store } from "../../../storage/store.js";
import type { SessionId } from "../../base/units.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import { followSession, readStored } from "../transcript/follow.js";
import type { Hub } from "../transcript/hub.js";
import { turnBegunBy } from "../transcript/stored-before.js";
import { sessionEvents } from "../transcript/transcript-events.js";
import { findLeftMessages } from "../transcript/transcript-recovery.js";
import { exportLineage } from "./export.js";
import type { SessionStores } from "./session-stores.js";

export interface SessionReadingDeps {
  readonly stores: SessionStores;
  readonly hub: Hub;
  /** This process only reads, and the owner that has written is gone: calls that it left open are shown as interrupted. */
  readonly ownerEnded: (() => boolean) | undefined;
}

/** The methods of `ChatApi` that read stored sessions. */
type SessionReading = Pick<
  ChatApi,
  "get" | "find" | "list" | "count" | "search" | "messages" | "export" | "cursor" | "storedEvents" | "events" | "turnOf"
>;

/** Reads of stored sessions. */
export function readSessions({ stores, hub, ownerEnded = () => false }: SessionReadingDeps): SessionReading {
  const left = async (store: Store, id: SessionId) => (ownerEnded() ? findLeftMessages(store, id) : []);
  const eventsOf = (session: SessionId) => ({
    session,
    read: async (segment: SessionId, seq: number) => sessionEvents((await stores.of(segment)).store, segment, seq),
    current: async (segment: SessionId) => (await (await stores.of(segment)).sessions.current(segment))?.id ?? segment,
  });
  return {
    get: async (id) => (await stores.of(id)).sessions.get(id),
    find: async (name) => (await stores.kept()).sessions.find(name),
    list: async (filter) => (await stores.kept()).sessions.list(filter),
    count: async (filter) => (await stores.kept()).sessions.count(filter),
    search: async (query, limit) => (await (await stores.kept()).search.search(query, { limit })).hits,
    messages: async (id, page) => {
      const { store, sessions } = await stores.of(id);
      const found = await sessions.messages(id, page);
      return page?.before === undefined ? [...found, ...(await left(store, id))] : found;
    },
    export: async function* (id, format) {
      const { store } = await stores.of(id);
      yield* exportLineage(store, id, format, (segment) => left(store, segment));
    },
    cursor: async (id) => (await (id === undefined ? stores.kept() : stores.of(id))).store.lastSeq(),
    storedEvents: (id, after) => readStored(eventsOf(id), after),
    events: (id, after, signal) => followSession({ hub, ...eventsOf(id) }, after, signal),
    turnOf: async (id, request) => turnBegunBy((await stores.of(id)).store, id, request),
  };
}
