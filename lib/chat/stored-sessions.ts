import * as table from "../../storage/tables/sessions/records.js";
import * as upkeep from "../../storage/tables/sessions/upkeep.js";
import type { Ids } from "../base/ids.js";
import type { Clock } from "../base/time/clock.js";
import type { SessionId } from "../base/units.js";
import type { ChatApi, SessionRecord, TurnResult } from "../contracts/chat/chat.js";
import type { DeletedSession, StoredSessionsApi } from "../contracts/chat/sessions.js";
import type { TurnFiles } from "../contracts/chat/turn-files.js";
import type { Config } from "../contracts/config/config.js";
import { THIS_PROCESS } from "./lanes/front-ends.js";
import type { OpenSessions } from "./lanes/open-sessions.js";
import { addMirrored, runBetweenTurns } from "./mirror.js";
import type { SessionStoreBook, SessionStores } from "./sessions/books.js";
import { deleteLineage, type SessionFiles } from "./sessions/sessions-delete.js";
import { fork } from "./sessions/sessions-fork.js";
import { redo, undo, undoableFiles } from "./sessions/sessions-undo.js";
import { autoPrune, latestSession, prunable, pruneSessions } from "./sessions/sessions-upkeep.js";
import { noSession } from "./transcript/session-record.js";
import { openTranscript } from "./transcript/transcript.js";

export interface StoredSessionsDeps {
  readonly books: SessionStores;
  readonly open: OpenSessions;
  readonly submit: ChatApi["submit"];
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly turnFiles?: TurnFiles | undefined;
  readonly files: SessionFiles;
}

/** What can be done with stored conversations; one that is open in this owner follows. */
export function storedSessions(
  deps: StoredSessionsDeps,
): StoredSessionsApi<SessionRecord, TurnResult> & Pick<ChatApi, "rename" | "delete" | "mirror"> {
  const { books, open, clock, ids, files, turnFiles, config } = deps;
  const remove = async (id: SessionId): Promise<DeletedSession> => {
    const { store, sessions } = await books.of(id);
    await open.close((await sessions.get(id))?.lineage_root ?? id);
    return deleteLineage({ store, clock, files }, id);
  };
  /** Change a session while no turn of it runs, then let its conversation go on with what is there. */
  const change = async <T>(
    named: SessionId,
    work: (book: SessionStoreBook, id: SessionId) => Promise<T>,
  ): Promise<T> => {
    const book = await books.of(named);
    const id = await here(book, named);
    const result = await open.alone(id, () => work(book, id));
    await follow(book, open, id, clock);
    return result;
  };
  const undoing = (store: SessionStoreBook["store"]) => ({ store, clock, files: turnFiles });
  return {
    delete: remove,
    latest: async (cwd) => latestSession((await books.kept()).sessions, cwd),
    prune: async (filter, dry) => {
      const { store } = await books.kept();
      const found = await prunable(store, clock, filter);
      return dry ? found : pruneSessions(found, remove);
    },
    autoPrune: async () => autoPrune({ store: (await books.kept()).store, clock, config }, remove),
    stats: async () => (await books.kept()).store.read((q) => upkeep.stats(q)),
    check: async () => (await books.kept()).store.read((q) => upkeep.findings(q)),
    isBusy: async (id) => open.isBusy(id),
    fork: async (named, options = {}) => {
      const book = await books.of(named);
      return books.adopt(await fork({ store: book.store, clock, ids }, await here(book, named), options), named);
    },
    undoable: async (named, exchanges) => {
      const book = await books.of(named);
      return { files: await undoableFiles(undoing(book.store), await here(book, named), exchanges) };
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
      const { sessions } = await books.of(id);
      await sessions.archive(id, archived);
      return must(await sessions.get(id), id);
    },
    rename: async (id, title) => {
      const book = await books.of(id);
      return book.sessions.rename(await here(book, id), title);
    },
    idle: (id) => open.idle(id),
    leave: async (id, reason, frontEnd = THIS_PROCESS) => {
      const book = await books.of(id);
      const current = await here(book, id);
      const kept = await book.sessions.leave(id, reason);
      await open.leave(current, frontEnd);
      return kept;
    },
  };
}

/** The segment in which a conversation goes on. */
const here = async ({ sessions }: SessionStoreBook, id: SessionId): Promise<SessionId> =>
  (await sessions.current(id))?.id ?? id;

async function follow(
  { store, sessions }: SessionStoreBook,
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
