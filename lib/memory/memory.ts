import { join } from "node:path";
import { AppError } from "../base/errors.js";
import { listNames } from "../base/fs/directory.js";
import { readNow, writeAtomic } from "../base/fs/files.js";
import type { Home } from "../base/home.js";
import type { Ids } from "../base/ids.js";
import type { Log } from "../base/log/log.js";
import { type FileLockDeps, lockFile } from "../base/process/file-lock.js";
import type { Clock } from "../base/time/clock.js";
import type { Config } from "../contracts/config/config.js";
import {
  MEMORY_CHAR_LIMIT,
  MEMORY_ENABLED,
  MEMORY_USER_CHAR_LIMIT,
  MEMORY_USER_ENABLED,
} from "../contracts/memory/keys.js";
import type {
  DamagedMemory,
  MemoryApi,
  MemoryAuthor,
  MemoryBrought,
  MemoryChange,
  MemoryEntry,
  MemoryOutcome,
  MemoryTarget,
  PendingMemory,
} from "../contracts/memory/memory.js";
import { strictScan } from "../safety/redact/injection.js";
import { type Book, type BookChange, isOver, type MemoryFile, memoryFileIn, readBook, writeBook } from "./book.js";
import { type ChangeDeps, decideChange, previewOf, stateOf, visibleEntries } from "./change.js";
import { folded, hasSeparator, sizeOf, tidyEntry } from "./entry-text.js";
import { filesOf, memoriesDir, type Sight, sightOf } from "./places.js";
import { matching, nearestEntries } from "./words.js";

export interface MemoryDeps extends FileLockDeps {
  readonly home: Pick<Home, "dir">;
  readonly config: Pick<Config, "get">;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly log: Log;
  /** Name of the provider of a plugin. */
  readonly provider?: () => string | undefined;
}

const LOCK_MS = 5_000;
const PENDING_AT_MOST = 50;

/** The memory of a home. */
export function createMemory(deps: MemoryDeps): MemoryApi {
  const { home, config, clock, ids } = deps;
  const book = (): Book => readBook(home.dir, clock.now());
  const limitOf = (target: MemoryTarget): number =>
    config.get(target === "user" ? MEMORY_USER_CHAR_LIMIT : MEMORY_CHAR_LIMIT);
  const isOn = (target: MemoryTarget): boolean => config.get(target === "user" ? MEMORY_USER_ENABLED : MEMORY_ENABLED);
  const changes: ChangeDeps = { homeDir: home.dir, now: clock.now, newId: () => `m_${ids.hex(4)}`, limitOf, isOn };
  const locked = async <T>(work: () => T | Promise<T>): Promise<T> => {
    const lock = await lockFile(join(memoriesDir(home.dir), ".entries.lock"), deps, { ms: LOCK_MS });
    try {
      return await work();
    } finally {
      lock.release();
    }
  };
  const write = (now: Book, change: BookChange): void => writeBook(home.dir, now, change, clock.now());

  /** Decide on a change in the book as it is now, and write what it makes of it. */
  const perform = async (
    change: MemoryChange,
    sight: Sight,
    { author, dry = false, done }: { author: MemoryAuthor; dry?: boolean; done?: string },
  ): Promise<MemoryOutcome> => {
    const now = book();
    const { outcome, writes, damaged } = decideChange(change, now, { sight, author }, changes);
    if (damaged !== undefined) await keepCopy(damaged, clock);
    const succeeded = outcome.done !== "nothing";
    const pending = done === undefined || !succeeded ? now.pending : now.pending.filter(({ id }) => id !== done);
    if (!dry && succeeded) write(now, { ...writes, pending });
    return outcome;
  };

  const findIn = (now: Book, id: string): { readonly file: MemoryFile | undefined; readonly entry: MemoryEntry } => {
    const all = now.files.flatMap((file) => file.entries.map((entry) => ({ file, entry })));
    const found = [...all, ...now.expired.map((entry) => ({ file: undefined, entry }))].filter(({ entry }) =>
      entry.id.startsWith(id),
    );
    const exact =
      found.find(({ entry }) => entry.id === id) ?? (found.length === 1 && id.length > 2 ? found[0] : undefined);
    if (exact !== undefined) return exact;
    if (found.length > 1 && id.length > 2)
      throw new AppError("E_AMBIGUOUS", `several entries begin with ${id}`, { hint: "use the whole id" });
    throw new AppError("E_NOT_FOUND", `no such memory entry: ${id}`, { hint: "agent memory list shows the ids" });
  };

  /** A person changes one entry, wherever it is. */
  const byPerson = (id: string, toChange: (entry: MemoryEntry) => MemoryChange): Promise<MemoryOutcome> =>
    locked(() => {
      const { file, entry } = findIn(book(), id);
      if (file === undefined)
        throw new AppError("E_STATE", `${entry.id} has expired`, { hint: "add it again when it still holds" });
      const author: MemoryAuthor = { source: { kind: "person", by: "user" }, untrusted: false };
      return perform(toChange(entry), sightOfFile(file), { author });
    });

  const api: MemoryApi = {
    all: async ({ expired = false } = {}) => {
      const now = book();
      const inFiles = now.files.flatMap(({ entries }) => entries);
      const is = (entry: MemoryEntry) => isOver(entry, clock.now());
      const wanted = expired ? [...inFiles.filter(is), ...now.expired] : inFiles.filter((entry) => !is(entry));
      return wanted.toSorted((a, b) => b.created_at - a.created_at);
    },
    seen: async (place) => lastUsedFirst(visibleEntries(book(), sightOf(place, home.dir), changes)),
    search: async (query, { place, counts = false }) => {
      const now = book();
      const entries =
        place === undefined
          ? now.files.flatMap((file) => file.entries).filter((entry) => !isOver(entry, clock.now()))
          : visibleEntries(now, sightOf(place, home.dir), changes);
      const found = matching(query, lastUsedFirst(entries));
      if (counts && found.length > 0) await locked(() => markUsed(found));
      return found;
    },
    find: async (id) => findIn(book(), id).entry,
    read: async (target, place) => {
      const now = book();
      return filesOf(sightOf(place, home.dir))
        .filter((one) => one.target === target)
        .map((one) => stateOf(memoryFileIn(now, one, home.dir), changes));
    },
    change: (change, place, author, dry = false) =>
      dry
        ? perform(change, sightOf(place, home.dir), { author, dry })
        : locked(() => perform(change, sightOf(place, home.dir), { author })),
    stage: (change, place, author, why) =>
      locked(() => stage(change, { sight: sightOf(place, home.dir), author, why })),
    pending: async () => book().pending,
    approve: (id) =>
      locked(() => {
        const { change, scope, of, author } = waiting(book(), id);
        const sight = {
          project: scope === "project" ? of : undefined,
          board: scope === "board" ? of : undefined,
        };
        // A person has read both texts.
        const agreed = change.action === "add" ? { contradicts: "checked", ...change, scope } : change;
        return perform(agreed, sight, { author, done: id });
      }),
    reject: (id) =>
      locked(() => {
        const now = book();
        const found = waiting(now, id);
        write(now, { pending: now.pending.filter((one) => one.id !== found.id) });
        return found;
      }),
    edit: (id, content, ttl) =>
      byPerson(id, (entry) => ({
        action: "replace",
        target: entry.target,
        which: entry.id,
        content,
        ttl: ttl === null ? Number.POSITIVE_INFINITY : ttl,
      })),
    forget: (id) => byPerson(id, (entry) => ({ action: "remove", target: entry.target, which: entry.id })),
    bring: (target, texts, dry = false) =>
      dry ? Promise.resolve().then(() => bring(target, texts, true)) : locked(() => bring(target, texts, false)),
    accept: () => locked(accept),
    reset: (target) =>
      locked(() => {
        const now = book();
        const files = now.files.filter(({ place }) => place.target === target);
        write(now, { files: files.map((file) => ({ file, entries: [] })) });
        return files.reduce((sum, { entries }) => sum + entries.length, 0);
      }),
    status: async () => {
      const now = book();
      const damaged = now.files.flatMap((file) => (file.damaged === undefined ? [] : [damageOf(file)]));
      return {
        enabled: { memory: isOn("memory"), user: isOn("user") },
        files: now.files.map((file) => {
          const { target, scope, of, usage } = stateOf(file, changes);
          return { target, scope, of, path: file.path, count: file.entries.length, usage };
        }),
        pending: now.pending.length,
        expired: (await api.all({ expired: true })).length,
        damaged,
        provider: deps.provider?.() ?? null,
      };
    },
  };

  const markUsed = (found: readonly MemoryEntry[]): void => {
    write(book(), { records: found.map((entry) => ({ ...entry, used_at: clock.now() })) });
  };

  const waiting = (now: Book, id: string): PendingMemory => {
    const found = now.pending.find((one) => one.id === id);
    if (found !== undefined) return found;
    throw new AppError("E_NOT_FOUND", `no such change: ${id}`, { hint: "agent memory pending lists those that wait" });
  };

  const stage = async (
    change: MemoryChange,
    { sight, author, why }: { sight: Sight; author: MemoryAuthor; why: string },
  ): Promise<PendingMemory | MemoryOutcome> => {
    const now = book();
    // The person who decides sees what is near; the model is not asked about it.
    const asked = change.action === "add" ? { contradicts: "checked", ...change } : change;
    const { outcome } = decideChange(asked, now, { sight, author }, changes);
    if (outcome.done === "nothing" || outcome.done === "known") return outcome;
    const same = now.pending.find((one) => JSON.stringify(one.change) === JSON.stringify(pinned(change, outcome)));
    if (same !== undefined) return same;
    if (now.pending.length >= PENDING_AT_MOST)
      throw new AppError("E_BUSY", `${PENDING_AT_MOST} changes of the memory wait for a person`, {
        hint: "agent memory pending lists them",
      });
    const near = change.action === "add" ? nearestEntries(change.content, visibleEntries(now, sight, changes)) : [];
    const staged: PendingMemory = {
      id: `p_${ids.hex(4)}`,
      change: pinned(change, outcome),
      scope: outcome.scope,
      of: outcome.of,
      author,
      created_at: clock.now(),
      why,
      near: near.map((entry) => previewOf(entry, clock.now())),
    };
    write(now, { pending: [...now.pending, staged] });
    return staged;
  };

  const bring = (target: MemoryTarget, texts: readonly string[], dry: boolean): MemoryBrought => {
    const now = book();
    const file = memoryFileIn(now, { target, kind: "home", of: "" }, home.dir);
    if (file.damaged !== undefined)
      throw new AppError("E_STATE", `${file.path}: ${file.damaged.why}`, { hint: "agent memory accept" });
    const entries = [...file.entries];
    const left: string[] = [];
    const refused: string[] = [];
    for (const text of texts.map(tidyEntry)) {
      if (text === "" || entries.some((one) => folded(one.text) === folded(text))) continue;
      const next = [...entries.map((one) => one.text), text];
      if (strictScan(text).length > 0) refused.push(text);
      else if (hasSeparator(text) || sizeOf(next) > limitOf(target)) left.push(text);
      else entries.push(importedEntry(text, target, { id: `m_${ids.hex(4)}`, at: clock.now() }));
    }
    const added = entries.length - file.entries.length;
    if (added > 0 && !dry) write(now, { files: [{ file, entries }] });
    return { added, left, refused };
  };

  const accept = async (): Promise<readonly DamagedMemory[]> => {
    const now = book();
    const damaged = now.files.filter((file) => file.damaged !== undefined);
    const told: DamagedMemory[] = [];
    for (const file of damaged) {
      if (file.damaged?.bytes === undefined)
        throw new AppError("E_STATE", `${file.path} cannot be taken: ${file.damaged?.why ?? ""}`, {
          hint: "put a plain file in its place",
        });
      const backup = await keepCopy(file, clock);
      told.push({ path: file.path, why: file.damaged.why, backup });
    }
    if (damaged.length > 0) write(now, { files: damaged.map((file) => ({ file, entries: file.entries })) });
    return told;
  };
  return api;
}

/** A change that waits names its entry by the id: other entries may match its words by then. */
const pinned = (change: MemoryChange, outcome: MemoryOutcome): MemoryChange =>
  change.action === "add" || outcome.done === "nothing" ? change : { ...change, which: outcome.entry.id };

const sightOfFile = ({ place: { kind, of } }: MemoryFile): Sight => ({
  project: kind === "project" ? of : undefined,
  board: kind === "board" ? of : undefined,
});

const importedEntry = (
  text: string,
  target: MemoryTarget,
  { id, at }: { readonly id: string; readonly at: number },
): MemoryEntry => ({
  id,
  target,
  scope: "user",
  of: "",
  text,
  source: { kind: "import" },
  created_at: at,
  used_at: null,
  expires_at: null,
  confidence: 1,
  untrusted: false,
});

const lastUsedFirst = (entries: readonly MemoryEntry[]): readonly MemoryEntry[] =>
  entries.toSorted((a, b) => (b.used_at ?? b.created_at) - (a.used_at ?? a.created_at));

const damageOf = (file: MemoryFile): DamagedMemory => ({
  path: file.path,
  why: file.damaged?.why ?? "",
  backup: copyOf(file) ?? null,
});

/** The copy that was kept of the file as it is; undefined: not copied yet. */
function copyOf({ path, damaged }: MemoryFile): string | undefined {
  const bytes = damaged?.bytes;
  if (bytes === undefined) return undefined;
  const dir = join(path, "..");
  const start = `${path.slice(dir.length + 1)}.bak.`;
  return listNames(dir)
    .filter((name) => name.startsWith(start))
    .map((name) => join(dir, name))
    .find((copy) => readNow(copy, bytes.length + 1)?.equals(bytes) === true);
}

/** Keep a file that was edited by hand, once. Answers where. */
async function keepCopy(file: MemoryFile, clock: Pick<Clock, "now">): Promise<string | null> {
  const bytes = file.damaged?.bytes;
  if (bytes === undefined) return null;
  const known = copyOf(file);
  if (known !== undefined) return known;
  const time = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
  const copy = `${file.path}.bak.${time}`;
  await writeAtomic(copy, bytes, 0o600);
  return copy;
}
