import { refused } from "./errors.js";
import { EVENTS_DDL, type Migration, type StoreSpec } from "./store.js";

/** One row in each store: what it is, for our own programs and for people with another tool. `seq`: newest frame in this file. */
export const STORE_DDL = `CREATE TABLE _store (
  id TEXT NOT NULL,
  kind TEXT NOT NULL,
  schema INTEGER NOT NULL,
  seq INTEGER NOT NULL,
  segment_version INTEGER NOT NULL
)`;

const CREATES_EVENTS = /^\s*CREATE\s+TABLE\s+(IF\s+NOT\s+EXISTS\s+)?"?events"?\b/i;

const WITH_EVENTS = new WeakMap<readonly Migration[], readonly Migration[]>();

/** The migrations with the event table in the first one, unless one of them makes it. One list for each list that is given. */
export function withEvents(migrations: readonly Migration[]): readonly Migration[] {
  const known = WITH_EVENTS.get(migrations) ?? addEvents(migrations);
  WITH_EVENTS.set(migrations, known);
  return known;
}

function addEvents(migrations: readonly Migration[]): readonly Migration[] {
  const [first, ...rest] = migrations;
  if (!first) return [{ to: 1, statements: EVENTS_DDL }];
  if (migrations.some((one) => one.statements.some((sql) => CREATES_EVENTS.test(sql)))) return migrations;
  return [{ ...first, statements: [...EVENTS_DDL, ...first.statements] }, ...rest];
}

/** Schema that this program brings every store of the kind to. */
export function newestSchema(migrations: readonly Migration[]): number {
  return Math.max(0, ...migrations.map((one) => one.to));
}

/** Steps from schema `from` to `until`, in order. */
export function stepsBetween(migrations: readonly Migration[], from: number, until: number): readonly Migration[] {
  return migrations.filter((one) => one.to > from && one.to <= until).sort((a, b) => a.to - b.to);
}

/** A file may be older than the program, never newer, and of the right kind. */
export function refuseStranger(spec: StoreSpec, found: { kind: string; schema: number }): void {
  if (found.kind !== spec.kind) {
    throw refused("foreign", `${spec.path} is a store of kind ${found.kind}, not ${spec.kind}`, {
      path: spec.path,
      kind: found.kind,
    });
  }
  const known = newestSchema(spec.migrations);
  if (found.schema <= known) return;
  throw refused(
    "newer",
    `${spec.path} has schema ${found.schema}, this version supports ${known}: it was written by a newer version`,
    {
      path: spec.path,
      schema: found.schema,
      known,
      hint: "use the newer version, or restore a backup made before the update",
    },
  );
}
