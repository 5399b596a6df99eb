import { join } from "node:path";
import type { Home } from "../../base/home.js";
import { type EpochMs, toIso } from "../../base/units.js";

/** Files and directories of the curator. */
export interface CuratorPlaces {
  readonly skills: string;
  readonly state: string;
  /** Held while skills are changed. */
  readonly lock: string;
  readonly archive: string;
  readonly backups: string;
  /** Reports, a directory for each run. */
  readonly runs: string;
}

export function placesOf({ dir, logs }: Pick<Home, "dir" | "logs">): CuratorPlaces {
  const skills = join(dir, "skills");
  return {
    skills,
    state: join(skills, ".curator.json"),
    lock: join(skills, ".curator.lock"),
    archive: join(skills, ".archive"),
    backups: join(skills, ".curator_backups"),
    runs: join(logs, "curator"),
  };
}

const ID = /^\d{4}-\d{2}-\d{2}T\d{2}-\d{2}-\d{2}Z(?:-\d{2})?$/;

/** Whether a text has the form of an id of a run or backup. */
export const isTimeId = (text: string): boolean => ID.test(text);

const SAME_SECOND_MAX = 99;

/** Ids of a moment, best first: `2026-11-28T21-45-16Z`, then `-02` and so on for more in one second. */
export function* timeIds(at: EpochMs): Generator<string> {
  const id = `${toIso(at).slice(0, 19).replaceAll(":", "-")}Z`;
  yield id;
  for (let n = 2; n <= SAME_SECOND_MAX; n++) yield `${id}-${String(n).padStart(2, "0")}`;
}
