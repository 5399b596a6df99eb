import { join } from "node:path";
import { changedAt, listDirectory, removeFile } from "../base/fs/files.js";
import type { Home } from "../base/home.js";
import type { Clock } from "../base/time/clock.js";
import type { Ms } from "../base/units.js";
import { REQUEST_KEPT_MS, REQUESTS_DIR } from "./generation/open-requests.js";
import { isDraftName, isMediumName, KIND_RULES } from "./medium-place.js";

const DAY: Ms = 86_400_000;

/**
 * Remove files that tools made more than `days` days ago, and what is left of downloads and requests that were cut short. Files of other names stay: inbound
 * media have a rule of their own, and the rest is not the cache's.
 *
 * @param days 0: the files are kept
 * @returns how many were removed
 */
export async function removeOldMedia(
  { home, clock }: { readonly home: Pick<Home, "cache">; readonly clock: Pick<Clock, "now"> },
  days: number,
): Promise<number> {
  const now = clock.now();
  let removed = 0;
  const keptFor = (folder: string, name: string): Ms | undefined => {
    if (folder === REQUESTS_DIR) return REQUEST_KEPT_MS;
    if (isDraftName(name)) return DAY;
    return isMediumName(name) && days > 0 ? days * DAY : undefined;
  };
  for (const folder of [...Object.keys(KIND_RULES), REQUESTS_DIR]) {
    for (const { name, kind: sort } of await listDirectory(join(home.cache, folder))) {
      const kept = keptFor(folder, name);
      const path = join(home.cache, folder, name);
      if (sort !== "file" || kept === undefined || now - changedAt(path) <= kept) continue;
      await removeFile(path);
      removed += 1;
    }
  }
  return removed;
}
