import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import type { Log } from "../base/log/log.js";
import type { FileLockDeps } from "../base/process/file-lock.js";
import type { Clock } from "../base/time/clock.js";
import type { Config } from "../contracts/config/config.js";
import {
  MEMORY_CHAR_LIMIT,
  MEMORY_ENABLED,
  MEMORY_USER_CHAR_LIMIT,
  MEMORY_USER_ENABLED,
} from "../contracts/memory/keys.js";
import type { MemoryApi, MemoryEntry, MemoryPlace } from "../contracts/memory/memory.js";
import { memoryFileIn } from "./book.js";
import {
  currentEntries,
  expiredEntries,
  findEntry,
  lastUsedFirst,
  newestFirst,
  summarizeBook,
} from "./book-queries.js";
import { openBookStore } from "./book-store.js";
import { type ChangeDeps, stateOf, visibleEntries } from "./change.js";
import { acceptDamaged } from "./damaged-files.js";
import { importEntries } from "./import-entries.js";
import { changeAsPerson, makeChange } from "./make-change.js";
import { approveChange, rejectChange, stageChange } from "./pending-changes.js";
import { filesOf, findVisibleScopes } from "./places.js";
import { matching } from "./words.js";

export interface MemoryDeps extends FileLockDeps {
  readonly home: Pick<Home, "dir">;
  readonly config: Pick<Config, "get">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Name of the provider of a plugin. */
  readonly provider?: () => string | undefined;
}

/** The memory of a home. */
export function createMemory(deps: MemoryDeps): MemoryApi {
  const { home, clock, ids } = deps;
  const store = openBookStore(home.dir, deps);
  const rules = changeRules(deps);
  const target = { store, rules };
  const { read, write, locked } = store;
  const sightAt = (place: MemoryPlace) => findVisibleScopes(place, home.dir);
  /** The entries as they are under the lock: they may have changed since they were found. */
  const markUsed = (found: readonly MemoryEntry[]): void => {
    const book = read();
    const ids = new Set(found.map(({ id }) => id));
    const used = currentEntries(book, clock.now()).filter(({ id }) => ids.has(id));
    write(book, { records: used.map((entry) => ({ ...entry, used_at: clock.now() })) });
  };

  return {
    // Reading
    all: async ({ expired = false } = {}) => {
      const book = read();
      return newestFirst(expired ? expiredEntries(book, clock.now()) : currentEntries(book, clock.now()));
    },
    seen: async (place) => lastUsedFirst(visibleEntries(read(), sightAt(place), rules)),
    search: async (query, { place, counts = false }) => {
      const book = read();
      const entries =
        place === undefined ? currentEntries(book, clock.now()) : visibleEntries(book, sightAt(place), rules);
      const found = matching(query, lastUsedFirst(entries));
      if (counts && found.length > 0) await locked(() => markUsed(found));
      return found;
    },
    find: async (id) => findEntry(read(), id).entry,
    read: async (wanted, place) => {
      const book = read();
      return filesOf(sightAt(place))
        .filter((file) => file.target === wanted)
        .map((file) => stateOf(memoryFileIn(book, file, home.dir), rules));
    },
    status: async () => ({ ...summarizeBook(read(), rules), provider: deps.provider?.() ?? null }),

    // Changes by a conversation
    change: async (change, place, author, dry = false) => {
      const by = { sight: sightAt(place), author };
      return dry ? makeChange(change, by, target, { dry }) : locked(() => makeChange(change, by, target));
    },
    stage: (change, place, author, why) =>
      locked(() => stageChange({ change, sight: sightAt(place), author, why }, target, () => `p_${ids.hex(4)}`)),

    // Changes by a person
    pending: async () => read().pending,
    approve: (id) => locked(() => approveChange(id, target)),
    reject: (id) => locked(() => rejectChange(id, target)),
    edit: (id, content, ttl) =>
      locked(() =>
        changeAsPerson(
          id,
          (entry) => ({
            action: "replace",
            target: entry.target,
            which: entry.id,
            content,
            ttl: ttl === null ? Number.POSITIVE_INFINITY : ttl,
          }),
          target,
        ),
      ),
    forget: (id) =>
      locked(() =>
        changeAsPerson(id, (entry) => ({ action: "remove", target: entry.target, which: entry.id }), target),
      ),
    bring: async (to, texts, dry = false) =>
      dry ? importEntries(to, texts, target, true) : locked(() => importEntries(to, texts, target, false)),
    accept: () => locked(() => acceptDamaged(store, clock.now())),
    reset: (wanted) =>
      locked(() => {
        const book = read();
        const files = book.files.filter(({ place }) => place.target === wanted);
        write(book, { files: files.map((file) => ({ file, entries: [] })) });
        return files.reduce((sum, { entries }) => sum + entries.length, 0);
      }),
  };
}

function changeRules({ home, config, clock, ids }: MemoryDeps): ChangeDeps {
  return {
    homeDir: home.dir,
    now: clock.now,
    newId: () => `m_${ids.hex(4)}`,
    limitOf: (target) => config.get(target === "user" ? MEMORY_USER_CHAR_LIMIT : MEMORY_CHAR_LIMIT),
    isOn: (target) => config.get(target === "user" ? MEMORY_USER_ENABLED : MEMORY_ENABLED),
  };
}
