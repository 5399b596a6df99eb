import { dirname, join } from "node:path";
import { changedAt, listDirectorySync } from "../../base/fs/files.js";
import { listUnsortedNames, removeTreeSync } from "../../base/fs/home-files.js";
import type { EpochMs, Ms } from "../../base/units.js";

/** Source: core part, 23. */
const KEPT: Ms = 30 * 86_400_000;
const LOOK_EVERY: Ms = 86_400_000;

/** When each folder of results was looked through last, by this process. */
const looked = new Map<string, EpochMs>();

/**
 * Remove results that were not changed for 30 days, of every lineage. `dir` is the folder of one lineage. Looks once a day, when something new
 * is kept there: files go with their session, and this is for sessions that stay.
 */
export function removeOldResults(dir: string, now: EpochMs): void {
  const all = dirname(dir);
  if (now - (looked.get(all) ?? Number.NEGATIVE_INFINITY) < LOOK_EVERY) return;
  looked.set(all, now);
  for (const name of listUnsortedNames(all)) removeOldIn(join(all, name), now);
}

function removeOldIn(dir: string, now: EpochMs): void {
  const files = listDirectorySync(dir).filter((entry) => entry.kind === "file");
  const old = files.map((entry) => join(dir, entry.name)).filter((path) => now - changedAt(path) > KEPT);
  for (const path of old) removeTreeSync(path);
  if (old.length > 0 && old.length === files.length) removeTreeSync(dir);
}
