import type { Captured } from "./capture.js";
import { changedPaths, contentOf, leftAs, type Manifest, type ManifestEntry, sameState } from "./manifest.js";
import type { CheckpointParts } from "./parts.js";
import type { UnrestoredRecord, Use } from "./records.js";
import type { Project } from "./store.js";

/** Paths of one directory whose last change is remembered; the ones that were changed longest ago are forgotten first. */
const MAX_PATHS = 100_000;

interface Changes {
  readonly baseline: Manifest;
  readonly now: Captured;
  readonly lineage: string | null;
  /** Uses from this one on belong to another turn whose changes are not known yet. */
  readonly below?: number;
}

/** What changed from `baseline` until now was done by the agent: what it left there is remembered. @returns the paths */
export function noteChanges(parts: CheckpointParts, project: Project, changes: Changes): readonly string[] {
  const { store } = parts;
  const left = store.left(project);
  const paths = { ...left.paths };
  const changed = comparable(changes.baseline, changes.now);
  for (const path of changed) {
    delete paths[path]; // the newest stand last
    paths[path] = [leftAs(changes.now.manifest.get(path)), changes.lineage, null];
  }
  store.setLeft(project, {
    upto: Math.max(left.upto, Math.min(knownUpTo(parts, project), (changes.below ?? Number.POSITIVE_INFINITY) - 1)),
    paths: newest(paths),
  });
  return changed;
}

function newest(paths: UnrestoredRecord["paths"]): UnrestoredRecord["paths"] {
  const all = Object.entries(paths);
  return all.length <= MAX_PATHS ? paths : Object.fromEntries(all.slice(all.length - MAX_PATHS));
}

/** In a directory that is not kept as a whole only what is named can be reported. */
function comparable(baseline: Manifest, { manifest, partial }: Captured): readonly string[] {
  if (partial === undefined) return changedPaths(baseline, manifest);
  return [...manifest].filter(([path, entry]) => !sameState(baseline.get(path), entry)).map(([path]) => path);
}

/** Number up to which no use belongs to a turn that is still changing the directory. */
function knownUpTo({ running }: CheckpointParts, project: Project): number {
  const others = [...(running.get(project.record.directory)?.values() ?? [])];
  if (others.length > 0) return Math.min(...others.map(({ first }) => first)) - 1;
  return Math.max(0, ...usesOf(project).map(({ n }) => n));
}

const usesOf = (project: Project): readonly Use[] => project.headers.flatMap((header) => header.uses);

/**
 * Turns that a crash cut off: what is different from the state before them counts as theirs.
 * @param below Number of a use that has just begun a turn, which is none of them.
 */
export async function settleCutOffTurns(
  parts: CheckpointParts,
  project: Project,
  now: Captured,
  below = Number.POSITIVE_INFINITY,
): Promise<void> {
  const { store, running, deps } = parts;
  const { upto } = store.left(project);
  const open = [...(running.get(project.record.directory)?.values() ?? [])];
  const end = Math.min(below, ...open.map(({ first }) => first));
  const isCut = (use: Use) => use.kind === "before" && use.n > upto && use.n < end;
  for (const header of project.headers) {
    const use = header.uses.find(isCut);
    if (use === undefined) continue;
    deps.log.warning("a turn was interrupted while changing a directory", {
      turn: use.turn ?? "",
      directory: project.record.directory,
    });
    try {
      const baseline = await store.manifest(project, header);
      noteChanges(parts, project, { baseline, now, lineage: use.lineage, below });
    } catch (error) {
      deps.log.warning("the changes of an interrupted turn are unknown", {
        checkpoint: header.id,
        error: String(error),
      });
    }
    return; // what changed since the first of them covers the others
  }
}

/** The agent left the path as it is now. Without an owner of the change it does not matter which conversation did. */
export function isLeftByAgent(
  left: UnrestoredRecord,
  path: string,
  now: ManifestEntry | undefined,
  lineage: string | undefined,
): boolean {
  const known = left.paths[path];
  if (known === undefined) return false;
  const [content, by, planned] = known;
  if (lineage !== undefined && by !== lineage) return false;
  const present = [leftAs(now), contentOf(now)]; // older records hold no modes
  return present.includes(content) || (planned !== null && present.includes(planned));
}

/** A rollback that is about to change these paths leaves them so; until it is done both states are its own. */
export function planLeft(
  { store }: CheckpointParts,
  project: Project,
  planned: ReadonlyMap<string, { readonly now: string; readonly was: string }>,
): void {
  const left = store.left(project);
  const paths = { ...left.paths };
  for (const [path, { now, was }] of planned) paths[path] = [now, paths[path]?.[1] ?? null, was];
  store.setLeft(project, { ...left, paths });
}

/** The rollback has put these paths so. */
export function doneLeft(
  { store }: CheckpointParts,
  project: Project,
  done: ReadonlyMap<string, string>,
  lineage: string | null,
): void {
  const left = store.left(project);
  const paths = { ...left.paths };
  for (const [path, content] of done) paths[path] = [content, lineage, null];
  store.setLeft(project, { ...left, paths });
}
