import type { TaskId } from "../../../lib/base/units.js";
import type { Status, Verdict } from "../../../lib/contracts/board/board.js";
import type { Query, Tx } from "../../store.js";
import type { TaskLinks } from "./rows.js";

/** A parent `p` of a link `l` that holds its child back: the one predicate of board part 3.2. */
const HOLDS =
  "l.ignored = 0 AND p.status <> 'archived' AND NOT (p.status = 'done' AND COALESCE(p.verdict, 'accepted') <> 'rejected')";
const WAITS = `EXISTS (SELECT 1 FROM links l JOIN tasks p ON p.id = l.parent_id WHERE l.child_id = t.id AND ${HOLDS})`;

export interface Parent {
  readonly id: TaskId;
  readonly status: Status;
  readonly verdict: Verdict | null;
}

/** Parents that hold `child` back, by id. */
export async function unsettledParents(q: Query, child: TaskId): Promise<Parent[]> {
  return q.all<Parent>(
    `SELECT p.id, p.status, p.verdict FROM links l JOIN tasks p ON p.id = l.parent_id WHERE l.child_id = ? AND ${HOLDS} ORDER BY p.id`,
    [child],
  );
}

/** Parents that hold tasks back: those of `children`, or of the whole board. */
export async function unsettledOf(
  q: Query,
  children: readonly string[] | undefined,
): Promise<(Parent & { child: TaskId })[]> {
  const only = children === undefined ? "" : " AND l.child_id IN (SELECT value FROM json_each(?))";
  return q.all(
    `SELECT l.child_id AS child, p.id, p.status, p.verdict FROM links l JOIN tasks p ON p.id = l.parent_id WHERE ${HOLDS}${only} ORDER BY p.id`,
    children === undefined ? [] : [JSON.stringify(children)],
  );
}

const marks = (values: readonly unknown[]): string => values.map(() => "?").join(", ");

/** Children of `parent` in `todo`, not held, whose parents are all settled. */
export async function promotableChildren(q: Query, parent: TaskId): Promise<TaskId[]> {
  const rows = await q.all<{ id: TaskId }>(
    `SELECT t.id FROM links c JOIN tasks t ON t.id = c.child_id
     WHERE c.parent_id = ? AND t.status = 'todo' AND t.hold = 0 AND NOT ${WAITS} ORDER BY t.id`,
    [parent],
  );
  return rows.map((row) => row.id);
}

/** How many children of `parent` in `todo`, not held, wait for nothing but it. */
export async function waitingOnlyFor(q: Query, parent: TaskId): Promise<number> {
  const row = await q.get<{ count: number }>(
    `SELECT count(*) AS count FROM links c JOIN tasks t ON t.id = c.child_id
     WHERE c.parent_id = ? AND t.status = 'todo' AND t.hold = 0
       AND NOT EXISTS (SELECT 1 FROM links l JOIN tasks p ON p.id = l.parent_id WHERE l.child_id = t.id AND p.id <> c.parent_id AND ${HOLDS})`,
    [parent],
  );
  return row?.count ?? 0;
}

/** Every task of the board in `todo`, not held, whose parents are all settled. */
export async function promotable(q: Query): Promise<TaskId[]> {
  const rows = await q.all<{ id: TaskId }>(
    `SELECT t.id FROM tasks t WHERE t.status = 'todo' AND t.hold = 0 AND NOT ${WAITS} ORDER BY t.id`,
  );
  return rows.map((row) => row.id);
}

/** Children of `parent` that are ready or running and are held back by it now. */
export async function overtakenChildren(q: Query, parent: TaskId): Promise<{ id: TaskId; status: Status }[]> {
  return q.all(
    `SELECT t.id, t.status FROM links l JOIN tasks t ON t.id = l.child_id
     WHERE l.parent_id = ? AND l.ignored = 0 AND t.status IN ('ready', 'running') ORDER BY t.id`,
    [parent],
  );
}

/** Children of `parent` with their status. */
export async function childrenOf(q: Query, parent: TaskId): Promise<{ id: TaskId; status: Status }[]> {
  return q.all(
    "SELECT t.id, t.status FROM links l JOIN tasks t ON t.id = l.child_id WHERE l.parent_id = ? ORDER BY t.id",
    [parent],
  );
}

/** Add a link. False: it was there. */
export async function addLink(tx: Tx, parent: TaskId, child: TaskId): Promise<boolean> {
  return (
    (await tx.run("INSERT INTO links (parent_id, child_id) VALUES (?, ?) ON CONFLICT DO NOTHING", [parent, child])) ===
    1
  );
}

/** Remove a link. False: it did not exist. */
export async function removeLink(tx: Tx, parent: TaskId, child: TaskId): Promise<boolean> {
  return (await tx.run("DELETE FROM links WHERE parent_id = ? AND child_id = ?", [parent, child])) === 1;
}

/** `parent` counts for `child` again although a forced promotion passed over it. */
export async function heedParent(tx: Tx, parent: TaskId, child: TaskId): Promise<void> {
  await tx.run("UPDATE links SET ignored = 0 WHERE parent_id = ? AND child_id = ? AND ignored = 1", [parent, child]);
}

/** There is a link, and no forced promotion passed over it. */
export async function isHeeded(q: Query, parent: TaskId, child: TaskId): Promise<boolean> {
  const row = await q.get("SELECT 1 AS hit FROM links WHERE parent_id = ? AND child_id = ? AND ignored = 0", [
    parent,
    child,
  ]);
  return row !== undefined;
}

/** All parents of `child` count again. */
export async function heedParents(tx: Tx, child: TaskId): Promise<void> {
  await tx.run("UPDATE links SET ignored = 0 WHERE child_id = ? AND ignored = 1", [child]);
}

/** A forced promotion passes over `parent`. */
export async function ignoreParent(tx: Tx, parent: TaskId, child: TaskId): Promise<void> {
  await tx.run("UPDATE links SET ignored = 1 WHERE parent_id = ? AND child_id = ?", [parent, child]);
}

/** `to` can be reached from `from` by going down: a link `to` -> `from` would close a circle. */
export async function reaches(q: Query, from: TaskId, to: TaskId): Promise<boolean> {
  const row = await q.get<{ hit: number }>(
    `WITH RECURSIVE below (id) AS (SELECT ? UNION SELECT l.child_id FROM links l JOIN below b ON l.parent_id = b.id)
     SELECT 1 AS hit FROM below WHERE id = ?`,
    [from, to],
  );
  return row !== undefined;
}

export async function parentCount(q: Query, child: TaskId): Promise<number> {
  const row = await q.get<{ count: number }>("SELECT count(*) AS count FROM links WHERE child_id = ?", [child]);
  return row?.count ?? 0;
}

interface LinkRow {
  readonly parent_id: TaskId;
  readonly child_id: TaskId;
  readonly ignored: number;
}

/** Links of one task. */
export async function linksOf(q: Query, id: TaskId): Promise<TaskLinks> {
  const rows = await q.all<LinkRow>(
    "SELECT parent_id, child_id, ignored FROM links WHERE parent_id = ? OR child_id = ? ORDER BY parent_id, child_id",
    [id, id],
  );
  return gather(rows).get(id) ?? { parents: [], children: [], ignored: [] };
}

/** Links by task: at least all those of `ids`, or those of the whole board. */
export async function linksAmong(q: Query, ids: readonly string[] | undefined): Promise<Map<TaskId, TaskLinks>> {
  const all = "SELECT parent_id, child_id, ignored FROM links";
  if (ids === undefined) return gather(await q.all<LinkRow>(`${all} ORDER BY parent_id, child_id`));
  const sql = `${all} WHERE parent_id IN (${marks(ids)}) UNION ${all} WHERE child_id IN (${marks(ids)}) ORDER BY parent_id, child_id`;
  return gather(await q.all<LinkRow>(sql, [...ids, ...ids]));
}

function gather(rows: readonly LinkRow[]): Map<TaskId, TaskLinks> {
  const links = new Map<TaskId, TaskLinks>();
  const of = (id: TaskId): TaskLinks => {
    const known = links.get(id) ?? { parents: [], children: [], ignored: [] };
    links.set(id, known);
    return known;
  };
  for (const row of rows) {
    of(row.parent_id).children.push(row.child_id);
    of(row.child_id).parents.push(row.parent_id);
    if (row.ignored === 1) of(row.child_id).ignored.push(row.parent_id);
  }
  return links;
}
