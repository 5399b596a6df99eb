/** Questions about a book that was read: its entries in order, one by its id, its sizes. */

import { AppError } from "../base/errors.js";
import type { EpochMs } from "../base/units.js";
import type { MemoryEntry, MemorySize, MemoryStatus } from "../contracts/memory/memory.js";
import { type Book, isOver, type MemoryFile } from "./book.js";
import { type ChangeDeps, stateOf } from "./change.js";
import { listDamaged } from "./damaged-files.js";

/** Entries of all files that have not expired. */
export const currentEntries = ({ files }: Book, now: EpochMs): readonly MemoryEntry[] =>
  files.flatMap(({ entries }) => entries).filter((entry) => !isOver(entry, now));

/** Entries that have expired, those whose file was not written since then as well. */
export const expiredEntries = ({ files, expired }: Book, now: EpochMs): readonly MemoryEntry[] => [
  ...files.flatMap(({ entries }) => entries).filter((entry) => isOver(entry, now)),
  ...expired,
];

export const newestFirst = (entries: readonly MemoryEntry[]): readonly MemoryEntry[] =>
  entries.toSorted((a, b) => b.created_at - a.created_at);

export const lastUsedFirst = (entries: readonly MemoryEntry[]): readonly MemoryEntry[] =>
  entries.toSorted((a, b) => (b.used_at ?? b.created_at) - (a.used_at ?? a.created_at));

/** An entry, and the file that it stands in; without a file it has expired. */
export interface FoundEntry {
  readonly file: MemoryFile | undefined;
  readonly entry: MemoryEntry;
}

/** The entry with this id, or the only one whose id begins so. @throws E_NOT_FOUND, E_AMBIGUOUS */
export function findEntry(book: Book, id: string): FoundEntry {
  const all: readonly FoundEntry[] = [
    ...book.files.flatMap((file) => file.entries.map((entry) => ({ file, entry }))),
    ...book.expired.map((entry) => ({ file: undefined, entry })),
  ];
  const found = all.filter(({ entry }) => entry.id.startsWith(id));
  const exact =
    found.find(({ entry }) => entry.id === id) ?? (found.length === 1 && id.length > 2 ? found[0] : undefined);
  if (exact !== undefined) return exact;
  if (found.length > 1 && id.length > 2)
    throw new AppError("E_AMBIGUOUS", `several entries begin with ${id}`, { hint: "use the whole id" });
  throw new AppError("E_NOT_FOUND", `no such memory entry: ${id}`, { hint: "agent memory list shows the ids" });
}

/** Sizes of the files, and how much waits, has expired or is damaged. */
export function summarizeBook(book: Book, rules: ChangeDeps): Omit<MemoryStatus, "provider"> {
  const sizeOfFile = (file: MemoryFile): MemorySize => {
    const { target, scope, of, usage } = stateOf(file, rules);
    return { target, scope, of, path: file.path, count: file.entries.length, usage };
  };
  return {
    enabled: { memory: rules.isOn("memory"), user: rules.isOn("user") },
    files: book.files.map(sizeOfFile),
    pending: book.pending.length,
    expired: expiredEntries(book, rules.now()).length,
    damaged: listDamaged(book),
  };
}
