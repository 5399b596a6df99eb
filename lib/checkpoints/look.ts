import { join } from "node:path";
import { inspectPath } from "../base/fs/tree-read.js";
import type { ChangeCounts, CheckpointRow, CheckpointStatus, ShownEntry } from "../contracts/owner/checkpoints.js";
import { capture } from "./capture.js";
import { type Chosen, numberCheckpoints } from "./choose.js";
import { CHECKPOINTS } from "./keys.js";
import { countChanges, presentText } from "./lines.js";
import { type Manifest, type ManifestEntry, sameState } from "./manifest.js";
import { legacyIn } from "./open.js";
import { type CheckpointParts, captureOptions, newestState } from "./parts.js";
import { toRecord } from "./records.js";
import type { Project } from "./store.js";

const LISTED = 20;

/** Rows of one directory, or of all, newest first. */
export async function listRows(
  parts: CheckpointParts,
  filter: { readonly directory?: string; readonly limit?: number },
): Promise<readonly CheckpointRow[]> {
  const { store } = parts;
  const own = filter.directory === undefined ? undefined : store.projectOf(filter.directory);
  const projects = filter.directory === undefined ? store.projects() : own === undefined ? [] : [own];
  const all = projects.flatMap((project) => numberCheckpoints(project).map((row) => ({ project, ...row })));
  const shown = all
    .sort((a, b) => b.header.made_at - a.header.made_at || b.header.seq - a.header.seq)
    .slice(0, filter.limit ?? LISTED);
  const rows: CheckpointRow[] = [];
  for (const { project, header, n } of shown)
    rows.push({
      ...toRecord(header, project.record.directory),
      n,
      changed: await changedBehind(parts, { project, header }),
    });
  return rows;
}

const NOTHING: ChangeCounts = { files: 0, added: 0, removed: 0 };

/** What changed from a checkpoint to the next one, or until now. */
async function changedBehind(parts: CheckpointParts, { project, header }: Chosen): Promise<ChangeCounts> {
  const { store, deps } = parts;
  try {
    const from = await store.manifest(project, header);
    const next = project.headers.find((one) => one.seq > header.seq);
    if (next !== undefined)
      return await countChanges(
        parts,
        from,
        comparableTo(from, await store.manifest(project, next), next.partial !== undefined),
      );
    if (!isThere(project)) return NOTHING;
    const { directory } = project.record;
    const now = await capture(captureOptions(parts, directory, { known: await newestState(parts, project) }));
    return await countChanges(
      parts,
      from,
      comparableTo(from, now.manifest, now.partial !== undefined),
      presentText(directory),
    );
  } catch (error) {
    deps.log.warning("failed to compare a checkpoint", { checkpoint: header.id, error: String(error) });
    return NOTHING;
  }
}

/** What a state does not know counts as unchanged. */
function comparableTo(from: Manifest, to: Manifest, partial: boolean): Manifest {
  if (!partial) return to;
  const all = new Map(from);
  for (const [path, entry] of to) if (!sameState(from.get(path), entry)) all.set(path, entry);
  return all;
}

const isThere = ({ record }: Project): boolean => {
  const seen = inspectPath(record.directory);
  return seen !== undefined && seen !== "unreadable" && seen.kind === "directory";
};

export function readCheckpointStatus(parts: CheckpointParts): CheckpointStatus {
  const { store, deps, dir } = parts;
  const { config, disk } = deps;
  return {
    enabled: config.get(CHECKPOINTS.enabled),
    store: join(dir, "store"),
    size_bytes: store.size(),
    max_total_size_mb: config.get(CHECKPOINTS.maxTotalSize),
    max_snapshots: config.get(CHECKPOINTS.maxSnapshots),
    max_file_size_mb: config.get(CHECKPOINTS.maxFileSize),
    retention_days: config.get(CHECKPOINTS.retentionDays),
    projects: store.projects().map((project) => ({
      directory: project.record.directory,
      checkpoints: project.headers.length,
      last_touch: project.record.last_touch,
      exists: isThere(project),
    })),
    legacy: legacyIn(disk, dir).map((name) => join(dir, name)),
    damaged: store.damaged(),
  };
}

export async function listCheckpointEntries(
  parts: CheckpointParts,
  { project, header }: Chosen,
): Promise<readonly ShownEntry[]> {
  const manifest = await parts.store.manifest(project, header);
  return [...manifest].map(([path, entry]) => shown(path, entry)).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function shown(path: string, entry: ManifestEntry): ShownEntry {
  switch (entry.kind) {
    case "file":
      return { path, kind: "file", mode: entry.mode, size: entry.size, hash: entry.hash };
    case "link":
      return { path, kind: "link", target: entry.target };
    case "directory":
      return { path, kind: "directory", mode: entry.mode };
    case "skipped":
      return { path, kind: "skipped", size: entry.size, why: entry.why };
    case "absent":
      return { path, kind: "absent" };
  }
}
