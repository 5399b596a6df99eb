import * as table from "../../storage/tables/sessions/records.js";
import * as upkeep from "../../storage/tables/sessions/upkeep.js";
import type { Ids } from "../base/ids.js";
import type { Clock } from "../base/time/clock.js";
import type { SessionId } from "../base/units.js";
import type { ChatApi, SessionRecord, TurnResult } from "../contracts/chat/chat.js";
import type { DeletedSession, StoredSessionsApi } from "../contracts/chat/sessions.js";
import type { TurnFiles } from "../contracts/chat/turn-files.js";
import type { Config } from "../contracts/config/config.js";
import type { HookBus } from "../contracts/hooks/hooks.js";
import { addMirrored, runBetweenTurns } from "./mirror.js";
import { THIS_PROCESS } from "./session-actor/front-ends.js";
import type { OpenSessions } from "./session-actor/open-sessions.js";
import type { OpenSessionStore, SessionStores } from "./sessions/session-stores.js";
import { deleteLineage, type SessionFiles } from "./sessions/sessions-delete.js";
import { fork } from "./sessions/sessions-fork.js";
import { redo, undo, undoableFiles } from "./sessions/sessions-undo.js";
import { autoPrune, latestSession, prunable, pruneSessions } from "./sessions/sessions-upkeep.js";
import { noSession } from "./transcript/session-record.js";
import { openTranscript } from "./transcript/transcript.js";

export interface StoredSessionsDeps {
  readonly stores: SessionStores;
  readonly open: OpenSessions;
  /** Let go of a lineage for good, with its background processes. @throws E_RUNNING while a turn of it runs */
  close(root: SessionId): Promise<void>;
  readonly submit: ChatApi["submit"];
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly turnFiles?: TurnFiles | undefined;
  readonly files: SessionFiles;
  readonly hooks?: HookBus;
}

/** What can be done with stored conversations; one that is open in this owner follows. */
export function storedSessions(
  deps: StoredSessionsDeps,
): StoredSessionsApi<SessionRecord, TurnResult> & Pick<ChatApi, "rename" | "delete" | "mirror"> {
  const { stores, open, clock, ids, files, turnFiles, config } = deps;
  const remove = async (id: SessionId): Promise<DeletedSession> => {
    const { store, sessions } = await stores.of(id);
    await deps.close((await sessions.get(id))?.lineage_root ?? id);
    return deleteLineage({ store, clock, files }, id);
  };
  /** Change a session while no turn of it runs, then let its conversation go on with what is there. */
  const change = async <T>(
    named: SessionId,
    work: (held: OpenSessionStore, id: SessionId) => Promise<T>,
  ): Promise<T> => {
    const held = await stores.of(named);
    const id = await here(held, named);
    const result = await open.alone(id, () => work(held, id));
    await follow(held, open, id, clock);
    return result;
  };
  const undoing = (store: OpenSessionStore["store"]) => ({ store, clock, files: turnFiles });
  return {
    delete: remove,
    latest: async (cwd) => latestSession((await stores.kept()).sessions, cwd),
    prune: async (filter, dry) => {
      const { store } = await stores.kept();
      const found = await prunable(store, clock, filter);
      return dry ? found : pruneSessions(found, remove);
    },
    autoPrune: async () => autoPrune({ store: (await stores.kept()).store, clock, config }, remove),
    stats: async () => (await stores.kept()).store.read((q) => upkeep.stats(q)),
    check: async () => (await stores.kept()).store.read((q) => upkeep.findings(q)),
    isBusy: async (id) => open.isBusy(id),
    fork: async (named, options = {}) => {
      const held = await stores.of(named);
      return stores.adopt(await fork({ store: held.store, clock, ids }, await here(held, named), options), named);
    },
    undoable: async (named, exchanges) => {
      const held = await stores.of(named);
      return await undoableFiles(undoing(held.store), await here(held, named), exchanges);
    },
    undo: (named, exchanges, what) => change(named, ({ store }, id) => undo(undoing(store), id, exchanges, what)),
    redo: (named) => change(named, ({ store }, id) => redo(undoing(store), id)),
    retry: async (id, onTurn) => {
      const { text } = await change(id, ({ store }, current) => undo(undoing(store), current, 1, "chat"));
      return deps.submit({ session: id, text, ...(onTurn === undefined ? {} : { onTurn }) });
    },
    mirror: (named, text, about) =>
      runBetweenTurns(open, named, () =>
        change(named, ({ store }, id) => addMirrored({ store, clock }, id, text, about)),
      ),
    archive: async (id, archived) => {
      const { sessions } = await stores.of(id);
      await sessions.archive(id, archived);
      return must(await sessions.get(id), id);
    },
    rename: async (id, title) => {
      const held = await stores.of(id);
      return held.sessions.rename(await here(held, id), title);
    },
    idle: (id) => open.idle(id),
    leave: async (id, reason, frontEnd = THIS_PROCESS) => {
      const held = await stores.of(id);
      const current = await here(held, id);
      const platform = (await held.sessions.get(current))?.source ?? "";
      const kept = await held.sessions.leave(id, reason);
      await open.leave(current, frontEnd);
      deps.hooks?.tell("on_session_finalize", { session_id: current, platform });
      if (reason === "new_session") deps.hooks?.tell("on_session_reset", { session_id: current, platform });
      return kept;
    },
  };
}

/** The segment in which a conversation goes on. */
const here = async ({ sessions }: OpenSessionStore, id: SessionId): Promise<SessionId> =>
  (await sessions.current(id))?.id ?? id;

async function follow(
  { store, sessions }: OpenSessionStore,
  open: OpenSessions,
  id: SessionId,
  clock: Clock,
): Promise<void> {
  const named = await sessions.get(id);
  const session = named && (await store.read((q) => table.current(q, named.lineage_root)));
  if (session) open.changed(session, openTranscript({ store, clock }, session));
}

function must(session: SessionRecord | undefined, id: SessionId): SessionRecord {
  if (session) return session;
  throw noSession(id);
}
