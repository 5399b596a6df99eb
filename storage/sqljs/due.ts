import type { Current } from "./files.js";
import { PRODUCT } from "./product.js";
import type { Recovered } from "./recovered.js";

/** Why a recovered store needs a checkpoint before its first write, in one word, or undefined. */
export function mustCopy(
  found: Recovered,
  now: { newest: number; current: Current | undefined; sqlite: string; unclean: boolean },
): string | undefined {
  if (found.base.note !== undefined) return "recovered";
  if (found.schema < now.newest) return "migrated";
  if (found.purge) return "purge";
  if (now.unclean) return "unclean"; // after a failed fsync the page cache shows what no later fsync writes: into new files with it
  if (now.current?.product !== PRODUCT || now.current.sqlite !== now.sqlite) return "version";
  return found.tail ? undefined : "journal";
}
