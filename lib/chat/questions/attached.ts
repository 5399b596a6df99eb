import type { SessionId } from "../../base/units.js";

/** Front ends that can answer, by the lineage that they show. */
export interface AttachedFrontEnds {
  add(lineage: SessionId, until: AbortSignal): void;
  at(lineage: SessionId): boolean;
}

export function createAttached(): AttachedFrontEnds {
  const fronts = new Map<SessionId, Set<AbortSignal>>();
  return {
    add: (lineage, until) => {
      const mine = fronts.get(lineage) ?? new Set();
      if (until.aborted || mine.has(until)) return;
      mine.add(until);
      fronts.set(lineage, mine);
      const leave = () => {
        mine.delete(until);
        if (mine.size === 0 && fronts.get(lineage) === mine) fronts.delete(lineage);
      };
      until.addEventListener("abort", leave, { once: true });
    },
    at: (lineage) => fronts.has(lineage),
  };
}
