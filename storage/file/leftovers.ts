import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Directories of a home in which a session leaves files. */
export interface SessionDirs {
  /** `AGENT_HOME`. */
  readonly home: string;
  readonly cache: string;
}

/** Remove what a lineage has on disk beside the store: records in JSON, request dumps, stored tool outputs. Harmless twice. */
export function removeSessionFiles(dirs: SessionDirs, lineage: string, sessions: readonly string[]): void {
  const folder = join(dirs.home, "sessions");
  const belongs = (name: string) =>
    sessions.some((id) => name.startsWith(`${id}.`) || name === `session_${id}.json` || name.startsWith(`request_dump_${id}_`));
  for (const name of entries(folder)) if (belongs(name)) rmSync(join(folder, name), { recursive: true, force: true });
  for (const id of [lineage, ...sessions]) rmSync(join(dirs.cache, "results", id), { recursive: true, force: true });
}

/** Copies of the stores that a deletion does not rewrite, as paths. */
export function backupsOf(home: string): string[] {
  return ["backups", "state-snapshots"].flatMap((folder) => entries(join(home, folder)).map((name) => join(home, folder, name)));
}

const entries = (folder: string): string[] => (existsSync(folder) ? readdirSync(folder) : []);
