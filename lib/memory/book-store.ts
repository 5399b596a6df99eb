import { join } from "node:path";
import { type FileLockDeps, lockFile } from "../base/process/file-lock.js";
import type { Clock } from "../base/time/clock.js";
import { type Book, type BookChange, readBook, writeBook } from "./book.js";
import { memoriesDir } from "./places.js";

/** How long a process waits for another one that changes the memory. */
const LOCK_MS = 5_000;

/** The book of a home on disk. Every process of the home reads and writes it. */
export interface BookStore {
  read(): Book;
  /** Write what a change makes of the book that was read under the same lock. */
  write(book: Book, change: BookChange): void;
  /** Keep other writers out until the work is done. @throws E_BUSY when another process holds the lock for too long */
  locked<T>(work: () => T | Promise<T>): Promise<T>;
}

/** @see BookStore */
export function openBookStore(homeDir: string, deps: FileLockDeps & { readonly clock: Clock }): BookStore {
  const { clock } = deps;
  return {
    read: () => readBook(homeDir, clock.now()),
    write: (book, change) => writeBook(homeDir, book, change, clock.now()),
    locked: async (work) => {
      const lock = await lockFile(join(memoriesDir(homeDir), ".entries.lock"), deps, { ms: LOCK_MS });
      try {
        return await work();
      } finally {
        lock.release();
      }
    },
  };
}
