import type { Clock } from "../../base/time/clock.js";
import { walk } from "../../tools/file/walk.js";

/** How long an answer waits for a list that is still being made. */
const WAIT_MS = 30;
/** How long one is good. */
const FRESH_MS = 5_000;
const WALK_MS = 3_000;
const MOST_FILES = 20_000;
const MOST_ROOTS = 4;

interface Listing {
  readonly paths: string[];
  readonly done: Promise<void>;
  readonly at: number;
  /** The list before it, as long as this one is not complete. */
  readonly before: readonly string[] | undefined;
  complete: boolean;
}

/** Files and directories below a directory, as far as git would not ignore them. What is found in a moment is the answer; the rest is there for the next one. */
export function createFileFinder(clock: Clock, userHome: string): { find(root: string): Promise<readonly string[]> } {
  const known = new Map<string, Listing>();
  return {
    find: async (root) => {
      const now = clock.mono();
      const old = known.get(root);
      const fresh = old !== undefined && (!old.complete || now - old.at < FRESH_MS);
      const listing = fresh ? old : begin({ root, userHome, clock, before: old?.paths });
      known.delete(root);
      known.set(root, listing);
      if (known.size > MOST_ROOTS) known.delete(known.keys().next().value ?? "");
      if (!listing.complete) await Promise.race([listing.done, clock.sleep(WAIT_MS)]);
      return listing.complete ? listing.paths : (listing.before ?? listing.paths);
    },
  };
}

interface Beginning {
  readonly root: string;
  readonly userHome: string;
  readonly clock: Clock;
  readonly before: readonly string[] | undefined;
}

function begin({ root, userHome, clock, before }: Beginning): Listing {
  const paths: string[] = [];
  const directories = new Set<string>();
  const enough = new AbortController();
  const visit = (_path: string, relative: string) => {
    for (let end = relative.indexOf("/"); end > 0; end = relative.indexOf("/", end + 1)) {
      const directory = relative.slice(0, end + 1);
      if (directories.has(directory)) continue;
      directories.add(directory);
      paths.push(directory);
    }
    paths.push(relative);
    if (paths.length >= MOST_FILES) enough.abort();
    return undefined;
  };
  const done = walk(
    { root, userHome, includeIgnored: false, clock, signal: enough.signal, within: WALK_MS },
    visit,
  ).then(
    () => {
      listing.complete = true;
    },
    () => {
      listing.complete = true; // what was found until then
    },
  );
  const listing: Listing = { paths, done, at: clock.mono(), before, complete: false };
  return listing;
}
