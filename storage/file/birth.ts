import { existsSync, lstatSync, readlinkSync, rmSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { realDisk } from "../../lib/base/fs/disk.js";
import { refused } from "../errors.js";
import { sizeOf } from "./health.js";
import type { Sqlite } from "./wasm.js";

/** What a store remembers before anything else. Exclusive first: only then WAL works without shared memory. */
const FIRST = ["PRAGMA locking_mode=EXCLUSIVE", "PRAGMA synchronous=FULL", "PRAGMA journal_mode=WAL"];

/**
 * Make the file of a new store beside its place and put it there whole. So no kill and no power failure leaves an empty file under the name
 * of a store, and one that is found empty was emptied by something else.
 */
export function createStoreFile({ open, files }: Sqlite, path: string): void {
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

/** Lies beside a store from its first opening on, so that its file is missed when it is gone. */
const markOf = (path: string): string => `${path}.made`;

/** @throws E_STORE `damaged` when the store was there once and its file is not */
export function refuseMissing(path: string): void {
  const rest = ["", "-wal", "-journal"].some((name) => existsSync(`${path}${name}`));
  if (rest || !existsSync(markOf(path))) return;
  const hint = `restore a backup, or remove ${markOf(path)} to start with an empty store; nothing was changed`;
  throw refused("damaged", `${path} is missing`, { path, hint });
}

/** Remember that the store exists. */
export function markCreated(path: string): void {
  if (existsSync(markOf(path))) return;
  try {
    realDisk.syncDir(dirname(path)); // the mark must not survive a power loss that takes the name of a new file
    writeFileSync(markOf(path), "", { mode: 0o600 });
  } catch {
    /* ok to lose: the next opening tries again, and the store does not need it. */
  }
}

/** Links in a chain that are followed; the system itself follows forty. */
const LINKS_MAX = 40;

/** Where the file belongs: a link that points to nothing yet stays a link. */
function placeOf(path: string): string {
  let place = path;
  for (
    let links = 0;
    links < LINKS_MAX && lstatSync(place, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    links++
  )
    place = resolve(dirname(place), readlinkSync(place));
  return place;
}
