import type { EpochMs } from "../../base/units.js";

/** What is known of the use of one skill. */
export interface SkillUse {
  /** Who made it: only what the agent made is ever changed by the curator. */
  readonly created_by: "agent" | "user" | "hub";
  readonly created_at: EpochMs | null;
  readonly uses: number;
  readonly views: number;
  readonly patches: number;
  readonly last_activity_at: EpochMs | null;
  readonly state: "active" | "stale" | "archived";
  /** The curator leaves it alone. */
  readonly pinned: boolean;
}

/** Records of the skills of a home, in `skills/.usage.json`: written by its owner and by its workers, one at a time. */
export interface SkillUsage {
  /** By name; a skill that was never used has no record. */
  all(): ReadonlyMap<string, SkillUse>;
  of(name: string): SkillUse;
  /** One more use, view or change, at this moment; a stale skill is active again, and a bundled one that was left out of the list is listed. */
  count(name: string, what: "uses" | "views" | "patches"): Promise<void>;
  /** Change the record of a skill; undefined removes it. */
  change(name: string, to: (before: SkillUse) => SkillUse | undefined): Promise<void>;
}
