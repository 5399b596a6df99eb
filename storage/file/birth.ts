import { existsSync, lstatSync, readlinkSync, rmSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { sizeOf } from "./health.js";
import type { Sqlite } from "./wasm.js";

/** What a store remembers before anything else. Exclusive first: only then WAL works without shared memory. */
const FIRST = ["PRAGMA locking_mode=EXCLUSIVE", "PRAGMA synchronous=FULL", "PRAGMA journal_mode=WAL"];

/**
 * Make the file of a new store beside its place and put it there whole. So no kill and no power failure leaves an empty file under the name
 * of a store, and one that is found empty was emptied by something else.
 */
export function bear({ open, files }: Sqlite, path: string): void {
  // SQLite throws a journal away when its file is missing; beside a file it would play it back into it.
  if (existsSync(path) || sizeOf(`${path}-journal`) > 0) return;
  const place = placeOf(path);
  const draft = `${place}.part`;
  for (const rest of [draft, `${draft}-journal`, `${draft}-wal`]) rmSync(rest, { force: true });
  const database = open(draft);
  for (const pragma of FIRST) database.exec(pragma);
  database.close();
  files.rename(draft, place);
}

/** Links in a chain that are followed; the system itself follows forty. */
const LINKS_MAX = 40;

/** Where the file belongs: a link that points to nothing yet stays a link. */
function placeOf(path: string): string {
  let place = path;
  for (let links = 0; links < LINKS_MAX && lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true; links++)
    place = resolve(dirname(place), readlinkSync(place));
  return place;
}
