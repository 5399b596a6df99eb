import { inspectPath } from "../base/fs/tree-read.js";
import type { Pruned } from "../contracts/owner/checkpoints.js";
import { CHECKPOINTS } from "./keys.js";
import type { CheckpointParts } from "./parts.js";
import type { Project } from "./store.js";

const MB = 1 << 20;
const DAY_MS = 86_400_000;
/** Contents are looked through when so many checkpoints have gone. */
const COLLECT_EVERY = 10;

/** Keep the limits after a checkpoint (core part, 24.3). `thorough`: also those that take a look at every file of the store. */
export async function limitStore(parts: CheckpointParts, project: Project, thorough: boolean): Promise<void> {
  const { store, deps } = parts;
  dropOldest(parts, project, deps.config.get(CHECKPOINTS.maxSnapshots));
  const most = deps.config.get(CHECKPOINTS.maxTotalSize) * MB;
  if (thorough && parts.dropped >= COLLECT_EVERY) await collect(parts);
  if ((thorough ? store.size() : store.contents.size()) > most) await shrink(parts, most);
}

function dropOldest(parts: CheckpointParts, project: Project, most: number): number {
  const old = project.headers.slice(0, Math.max(0, project.headers.length - most));
  for (const header of old) parts.store.drop(project, header.id);
  parts.dropped += old.length;
  return old.length;
}

async function collect(parts: CheckpointParts): Promise<void> {
  parts.dropped = 0;
  await parts.store.contents.collect(await parts.store.used());
}

/** Drop the oldest checkpoint of each directory until the store fits; the newest of each stays. */
async function shrink(parts: CheckpointParts, most: number): Promise<number> {
  const { store } = parts;
  let dropped = 0;
  await collect(parts);
  while (store.size() > most) {
    const full = store.projects().filter((project) => project.headers.length > 1);
    if (full.length === 0) break;
    for (const project of full) dropped += dropOldest(parts, project, project.headers.length - 1);
    await collect(parts);
  }
  return dropped;
}

export interface PruneLimits {
  readonly retentionDays: number;
  readonly maxSizeMb: number;
  readonly keepOrphans: boolean;
}

/** Remove what is not needed: directories that are gone or untouched for long, then what does not fit. */
export async function pruneCheckpoints(parts: CheckpointParts, limits: PruneLimits): Promise<Pruned> {
  const { store, deps } = parts;
  const before = store.size();
  const oldest = deps.clock.now() - limits.retentionDays * DAY_MS;
  let checkpoints = 0;
  let projects = 0;
  for (const project of store.projects()) {
    const orphan = !limits.keepOrphans && isGone(project.record.directory);
    if (!orphan && project.record.last_touch >= oldest) continue;
    if (parts.running.get(project.record.directory)?.size) continue;
    checkpoints += project.headers.length;
    projects += 1;
    store.dropProject(project);
  }
  await collect(parts);
  checkpoints += await shrink(parts, limits.maxSizeMb * MB);
  const size = store.size();
  return { projects, checkpoints, freed_bytes: Math.max(0, before - size), size_bytes: size };
}

/** A directory on a disk that cannot be looked at may come back. */
function isGone(directory: string): boolean {
  const seen = inspectPath(directory);
  return seen === undefined || (seen !== "unreadable" && seen.kind !== "directory");
}

/** Remove every checkpoint. */
export async function clear(parts: CheckpointParts): Promise<Pruned> {
  const { store } = parts;
  const before = store.size();
  const all = store.projects();
  const checkpoints = all.reduce((sum, project) => sum + project.headers.length, 0);
  for (const project of all) store.dropProject(project);
  await collect(parts);
  return { projects: all.length, checkpoints, freed_bytes: before - store.size(), size_bytes: store.size() };
}
