import type { TaskId } from "../../base/units.js";

/** Tasks that lie on or behind a circle of links: what is left when all that waits for nothing is taken away again and again. */
export function findLinkCycles(
  links: readonly { readonly parent_id: TaskId; readonly child_id: TaskId }[],
): readonly TaskId[] {
  const open = new Map<TaskId, number>();
  const children = new Map<TaskId, TaskId[]>();
  for (const { parent_id, child_id } of links) {
    open.set(child_id, (open.get(child_id) ?? 0) + 1);
    open.set(parent_id, open.get(parent_id) ?? 0);
    const known = children.get(parent_id);
    if (known) known.push(child_id);
    else children.set(parent_id, [child_id]);
  }
  const free = [...open].filter(([, parents]) => parents === 0).map(([id]) => id);
  for (let id = free.pop(); id !== undefined; id = free.pop()) {
    open.delete(id);
    for (const child of children.get(id) ?? []) {
      const left = (open.get(child) ?? 0) - 1;
      open.set(child, left);
      if (left === 0) free.push(child);
    }
  }
  return [...open.keys()];
}
