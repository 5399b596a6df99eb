import type { Status } from "../../../../contracts/board/board.js";

/** A task as the graph draws it. One that is not on the board has no title and no status. */
export interface Spot {
  readonly id: string;
  readonly title: string;
  readonly status: Status | undefined;
}

export interface Edge {
  readonly parent: string;
  readonly child: string;
}

export interface Around {
  readonly spots: readonly Spot[];
  readonly edges: readonly Edge[];
  /** Tasks further away that are left out. */
  readonly more: number;
}

/** What the graph knows of a task. */
export interface GraphTask {
  readonly id: string;
  readonly title: string;
  readonly status: Status;
  readonly parents: readonly string[];
  readonly children: readonly string[];
}

/** Above it the net can no longer be read. */
const MOST = 40;

/** Everything that a task waits for and everything that waits for it, nearest first, with the links between them. */
export function around(centre: GraphTask, find: (id: string) => GraphTask | undefined): Around {
  const known = (id: string): GraphTask | undefined => (id === centre.id ? centre : find(id));
  const before = reach(centre, (id) => known(id)?.parents ?? []);
  const behind = reach(centre, (id) => known(id)?.children ?? []);
  const all = [centre.id, ...alternately(before, behind)];
  const ids = all.slice(0, MOST);
  const shown = new Set(ids);
  const spots = ids.map((id): Spot => {
    const task = known(id);
    return { id, title: task?.title ?? "", status: task?.status };
  });
  const pairs = ids.flatMap((id) => {
    const { parents = [], children = [] } = known(id) ?? {};
    return [...parents.map((parent) => ({ parent, child: id })), ...children.map((child) => ({ parent: id, child }))];
  });
  const edges = new Map(
    pairs
      .filter(({ parent, child }) => shown.has(parent) && shown.has(child))
      .map((one) => [`${one.parent} ${one.child}`, one]),
  );
  return { spots, edges: [...edges.values()], more: all.length - ids.length };
}

function reach(centre: GraphTask, next: (id: string) => readonly string[]): string[] {
  const found = new Set<string>();
  let front: readonly string[] = [centre.id];
  while (front.length > 0) {
    const fresh = front.flatMap(next).filter((id) => id !== centre.id && !found.has(id));
    for (const id of fresh) found.add(id);
    front = [...new Set(fresh)];
  }
  return [...found];
}

function alternately(one: readonly string[], other: readonly string[]): readonly string[] {
  const longest = Math.max(one.length, other.length);
  const both = Array.from({ length: longest }, (_, at) => [one[at], other[at]]).flat();
  return [...new Set(both.filter((id) => id !== undefined))];
}
