import type { AuxClient } from "../../contracts/models/auxiliary.js";

/** A profile as a model sees it. */
export interface RosterEntry {
  readonly name: string;
  /** Empty: without a description. */
  readonly description: string;
}

/** What specifying, decomposing and swarms need from outside the board. */
export interface OrchestrationPort {
  readonly aux: AuxClient;
  /** Every profile, `default` first. Read again each time: a profile made meanwhile is on it. */
  roster(): Promise<readonly RosterEntry[]>;
  /** A skill of that name resolves for the profile. */
  hasSkill(profile: string, skill: string): Promise<boolean>;
}
