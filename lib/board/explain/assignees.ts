import { assigneeCounts } from "../../../storage/tables/board/cards.js";
import type { BoardSlug } from "../../base/units.js";
import type { Status } from "../../contracts/board/board.js";
import type { Assignee } from "../../contracts/board/explain.js";
import type { Core } from "../core/core.js";
import { KANBAN } from "../core/keys.js";

/** Profiles, and every other name that tasks are assigned to (board part, 10.4). */
export async function listAssignees(core: Core, board: BoardSlug): Promise<readonly Assignee[]> {
  const store = await core.reading(board);
  const used = (await store?.read(assigneeCounts)) ?? [];
  const counts = new Map<string, Partial<Record<Status, number>>>();
  const outside = new Map<string, boolean>();
  for (const { assignee, status, count, external } of used) {
    counts.set(assignee, { ...counts.get(assignee), [status]: count });
    outside.set(assignee, (outside.get(assignee) ?? true) && external === count);
  }
  const externals = core.config.get(KANBAN.externalAssignees);
  const profiles = core.profiles.names();
  const others = [...new Set([...externals, ...counts.keys()])]
    .filter((name) => !profiles.includes(name))
    .toSorted((a, b) => a.localeCompare(b));
  return [...profiles, ...others].map((name) => {
    const on_disk = profiles.includes(name);
    return {
      name,
      on_disk,
      external: externals.includes(name) || (!on_disk && outside.get(name) === true),
      counts: counts.get(name) ?? {},
    };
  });
}
