import { asidesSince, current, firstUserMessage, get } from "../../storage/tables/sessions/records.js";
import { ended, openTurn, openTurns } from "../../storage/tables/sessions/turns.js";
import type { Clock } from "../base/time/clock.js";
import type { SessionId } from "../base/units.js";
import type { SessionRecord } from "../contracts/chat/chat.js";
import type { AsideSession, WorkApi } from "../contracts/chat/work.js";
import { headText } from "../safety/redact/text.js";
import type { Processes } from "../tools/shell/registry.js";
import { shownProcess } from "./processes.js";
import type { SessionStores } from "./sessions/session-stores.js";
import type { LineageResources } from "./transcript/lineage-resources.js";

interface WorkDeps {
  readonly stores: SessionStores;
  readonly resources: LineageResources;
  readonly ports: { readonly clock: Clock };
}

const ASKED_CHARS = 500;

/** What goes on in all conversations that are kept. */
export function createWork({ stores, resources, ports }: WorkDeps): WorkApi<SessionRecord> {
  const store = async () => (await stores.kept()).store;
  return {
    asides: async (since, limit) =>
      (await store()).read(async (q) => {
        const found: AsideSession<SessionRecord>[] = [];
        for (const session of await asidesSince(q, since, limit))
          found.push({
            session,
            asked: headText((await firstUserMessage(q, session.lineage_root)) ?? "", ASKED_CHARS),
          });
        return found;
      }),
    everyProcess: async () =>
      resources
        .named("process")
        .flatMap(([root, entry]) =>
          [...(entry as Processes).all.values()].map((one) => shownProcess(one, root, ports.clock.mono())),
        ), // the process tool puts it there
    runningTurns: async () => (await store()).read(openTurns),
    turnIsOpen: async (session) =>
      (await (await stores.of(session)).store.read((q) => openTurn(q, session))) !== undefined,
    turnEnds: async (sessions, turns) => {
      const [session] = sessions;
      return session === undefined ? [] : (await stores.of(session)).store.read((q) => ended(q, sessions, turns));
    },
    currentOf: async (sessions) =>
      (await store()).read(async (q) => {
        const found = new Map<SessionId, SessionRecord>();
        for (const id of sessions) {
          const session = await get(q, id);
          const now = session === undefined ? undefined : await current(q, session.lineage_root);
          if (now !== undefined) found.set(id, now);
        }
        return found;
      }),
  };
}
