import type { Current } from "./files.js";
import { PRODUCT } from "./product.js";
import type { Recovered } from "./recovery.js";

/** Why a recovered store needs a checkpoint before its first write, in one word, or undefined. */
export function mustCopy(
  found: Recovered,
  now: { newest: number; current: Current | undefined; sqlite: string; suspect: boolean },
): string | undefined {
  if (found.base.note !== undefined) return "recovered";
  if (found.schema < now.newest) return "migrated";
  if (found.purge) return "purge";
  if (now.suspect) return "suspect"; // an fsync failed: what the page cache shows may not be on the disk
  if (now.current?.product !== PRODUCT || now.current.sqlite !== now.sqlite) return "version";
  return found.tail ? undefined : "journal";
}
