import { readFileSync } from "node:fs";
import type { ProcessRow } from "./process.js";

/** A pid namespace whose first process is the child of a group's leader, as bubblewrap makes them. */
export interface Namespace {
  /** Its end is the end of everything inside: the kernel sees to that. */
  readonly init: ProcessRow;
  /** The command itself; undefined once it has ended. */
  readonly first: ProcessRow | undefined;
  /** Everything inside but `init`, wherever its groups and sessions are: what loses its parent there gets `init` for one. */
  readonly inside: readonly ProcessRow[];
}

/** The namespace that the leader of `group` watches over, among these living processes. Linux only. */
export function findNamespace(group: number, rows: readonly ProcessRow[]): Namespace | undefined {
  if (process.platform !== "linux") return undefined;
  const init = rows.find((row) => row.parent === group && pidInside(row.pid) === 1);
  if (init === undefined) return undefined;
  const inside = findBelow(init.pid, rows);
  return { init, first: inside.find((row) => row.parent === init.pid && pidInside(row.pid) === 2), inside };
}

function findBelow(pid: number, rows: readonly ProcessRow[]): readonly ProcessRow[] {
  const children = groupByParent(rows);
  const found: ProcessRow[] = [];
  for (
    let level = children.get(pid) ?? [];
    level.length > 0;
    level = level.flatMap((row) => children.get(row.pid) ?? [])
  )
    found.push(...level);
  return found;
}

function groupByParent(rows: readonly ProcessRow[]): ReadonlyMap<number, readonly ProcessRow[]> {
  const children = new Map<number, ProcessRow[]>();
  for (const row of rows) {
    const known = children.get(row.parent);
    if (known === undefined) children.set(row.parent, [row]);
    else known.push(row);
  }
  return children;
}

/** Pid of a process in the innermost namespace that it is in, when that is not ours. A process cannot change what the kernel says here. */
function pidInside(pid: number): number | undefined {
  try {
    const all =
      /^NSpid:\s*(.*)$/m
        .exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]
        ?.trim()
        .split(/\s+/) ?? [];
    return all.length > 1 ? Number(all.at(-1)) : undefined;
  } catch {
    return undefined; // it has ended
  }
}
