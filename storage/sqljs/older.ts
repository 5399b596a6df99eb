import { basename, dirname, join } from "node:path";
import { faultPoint } from "../../lib/base/fault.js";
import type { EpochMs } from "../../lib/base/units.js";
import { STORE_DDL } from "../migrate.js";
import { OLDER_BOARD, OLDER_PREFIX } from "../schema/board-older.js";
import type { StoreSpec } from "../store.js";
import { type StoreFiles, writeSynced } from "./files.js";
import type { Memory } from "./memory.js";

/** Copies of a store from before its layout changed that are kept. */
const COPIES = 5;

/**
 * Make a board that was kept before stores said what they are ready to be migrated: its tables get other names, and the file says that it has
 * no layout yet. The steps of the schema make the tables of today and fill them.
 *
 * @returns false: the file is something else
 */
export function adoptOlder(memory: Memory, spec: StoreSpec, id: string): boolean {
  if (spec.kind !== "board") return false;
  const columns = memory.all(OLDER_BOARD.columns, ["tasks"]).map((row) => String(row["name"]));
  if (!OLDER_BOARD.recognised.every((name) => columns.includes(name))) return false;
  for (const { type, name } of memory.all(OLDER_BOARD.things, [])) {
    memory.exec(type === "table" ? OLDER_BOARD.rename(String(name)) : OLDER_BOARD.drop(String(type), String(name)));
  }
  memory.exec(STORE_DDL);
  memory.all(OLDER_BOARD.born, [id, spec.kind]);
  memory.forget();
  return true;
}

/** The tables of before are no longer needed. */
export function dropOlder(memory: Memory): void {
  for (const { type, name } of memory.all(OLDER_BOARD.things, []))
    if (type === "table" && String(name).startsWith(OLDER_PREFIX)) memory.exec(OLDER_BOARD.drop("table", String(name)));
  memory.forget();
}

/** Keep the store as it is before its layout changes; only then it may change. */
export function keepBefore(files: StoreFiles, bytes: Buffer, schema: number, at: EpochMs): string {
  const { disk } = files;
  const dir = join(dirname(files.db), "state-snapshots");
  const prefix = `${basename(files.db)}.schema-`;
  const path = join(dir, `${prefix}${schema}.${at}`);
  disk.mkdir(dir);
  writeSynced(disk, `${path}.part`, bytes);
  disk.rename(`${path}.part`, path);
  disk.syncDir(dir);
  faultPoint("store.migrate.backed-up");
  const age = (name: string) => Number(name.split(".").at(-1) ?? 0);
  const copies = disk.list(dir).filter((name) => name.startsWith(prefix) && !name.endsWith(".part"));
  for (const name of copies.sort((a, b) => age(b) - age(a)).slice(COPIES)) disk.remove(join(dir, name));
  return path;
}
