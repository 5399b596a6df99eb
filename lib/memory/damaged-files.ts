/** Files that were edited into another form: a copy is kept of each, and it is written again only after a person accepts it. */

import { join } from "node:path";
import { AppError } from "../base/errors.js";
import { listNames } from "../base/fs/directory.js";
import { readAtMostSync, writeAtomic } from "../base/fs/files.js";
import type { EpochMs } from "../base/units.js";
import type { DamagedMemory } from "../contracts/memory/memory.js";
import type { Book, MemoryFile } from "./book.js";
import type { BookStore } from "./book-store.js";

/** The damaged files of a book. */
export const listDamaged = ({ files }: Book): readonly DamagedMemory[] =>
  files.filter(({ damaged }) => damaged !== undefined).map((file) => toDamaged(file, findCopy(file) ?? null));

const toDamaged = (file: MemoryFile, backup: string | null): DamagedMemory => ({
  path: file.path,
  why: file.damaged?.why ?? "",
  backup,
});

/** Write every damaged file in the form of the product, with the entries that were read from it. Its old bytes are kept as a copy. */
export async function acceptDamaged(store: BookStore, now: EpochMs): Promise<readonly DamagedMemory[]> {
  const book = store.read();
  const damaged = book.files.filter((file) => file.damaged !== undefined);
  const accepted: DamagedMemory[] = [];
  for (const file of damaged) {
    if (file.damaged?.bytes === undefined)
      throw new AppError("E_STATE", `${file.path} cannot be taken: ${file.damaged?.why ?? ""}`, {
        hint: "put a plain file in its place",
      });
    accepted.push(toDamaged(file, await keepCopy(file, now)));
  }
  if (damaged.length > 0) store.write(book, { files: damaged.map((file) => ({ file, entries: file.entries })) });
  return accepted;
}

/** Keep a copy of a damaged file as it is, once. @returns its path; null: it does not have any bytes */
export async function keepCopy(file: MemoryFile, now: EpochMs): Promise<string | null> {
  const bytes = file.damaged?.bytes;
  if (bytes === undefined) return null;
  const known = findCopy(file);
  if (known !== undefined) return known;
  const time = new Date(now).toISOString().replace(/[-:]|\.\d+/g, "");
  const copy = `${file.path}.bak.${time}`;
  await writeAtomic(copy, bytes, 0o600);
  return copy;
}

/** The copy that was kept of the file as it is; undefined: not copied yet. */
function findCopy({ path, damaged }: MemoryFile): string | undefined {
  const bytes = damaged?.bytes;
  if (bytes === undefined) return undefined;
  const dir = join(path, "..");
  const start = `${path.slice(dir.length + 1)}.bak.`;
  return listNames(dir)
    .filter((name) => name.startsWith(start))
    .map((name) => join(dir, name))
    .find((copy) => readAtMostSync(copy, bytes.length + 1)?.equals(bytes) === true);
}
