import { AppError } from "../base/errors.js";
import type { MemoryAuthor, MemoryChange, MemoryEntry, MemoryOutcome } from "../contracts/memory/memory.js";
import { findEntry } from "./book-queries.js";
import type { BookStore } from "./book-store.js";
import { type ChangeDeps, type ChangePlace, decideChange } from "./change.js";
import { keepCopy } from "./damaged-files.js";
import { sightOfFile } from "./places.js";

/** Where changes are written, and the rules that decide on them. */
export interface ChangeTarget {
  readonly store: BookStore;
  readonly rules: ChangeDeps;
}

interface ChangeOptions {
  /** Decide only; no entry changes. */
  readonly dry?: boolean;
  /** Id of the pending change that this one settles when it succeeds. */
  readonly settles?: string;
}

/** Decide on a change in the book as it is now, and write it. The caller holds the lock, unless the change is dry. */
export async function makeChange(
  change: MemoryChange,
  place: ChangePlace,
  { store, rules }: ChangeTarget,
  { dry = false, settles }: ChangeOptions = {},
): Promise<MemoryOutcome> {
  const book = store.read();
  const { outcome, writes, damaged } = decideChange(change, book, place, rules);
  if (damaged !== undefined) await keepCopy(damaged, rules.now());
  if (dry || outcome.done === "nothing") return outcome;
  store.write(book, { ...writes, pending: book.pending.filter(({ id }) => id !== settles) });
  return outcome;
}

/**
 * A person changes one entry, wherever it is. The caller holds the lock.
 *
 * @throws E_NOT_FOUND, E_AMBIGUOUS, E_STATE for an entry that has expired
 */
export function changeAsPerson(
  id: string,
  toChange: (entry: MemoryEntry) => MemoryChange,
  target: ChangeTarget,
): Promise<MemoryOutcome> {
  const { file, entry } = findEntry(target.store.read(), id);
  if (file === undefined)
    throw new AppError("E_STATE", `${entry.id} has expired`, { hint: "add it again when it still holds" });
  const author: MemoryAuthor = { source: { kind: "person", by: "user" }, untrusted: false };
  return makeChange(toChange(entry), { sight: sightOfFile(file.place), author }, target);
}
