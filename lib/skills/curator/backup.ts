import { join } from "node:path";
import * as z from "zod";
import { AppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { listNames, makeDir, moveDir, removeDir } from "../../base/fs/directory.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import { writeGzip } from "../../base/fs/gzip-file.js";
import { readFileSize } from "../../base/fs/home-files.js";
import { replaceTextFile } from "../../base/fs/text-file.js";
import type { Ids } from "../../base/ids.js";
import { type EpochMs, toIso, toUnix } from "../../base/units.js";
import type { SkillBackup } from "../../contracts/skills/curator.js";
import { tarWriter } from "../../safety/archive/tar-write.js";
import { BACKUP_BYTES_MAX, type BackupFile, digestOf, listTree, readForBackup } from "./backup-files.js";
import { type CuratorPlaces, isTimeId, timeIds } from "./places.js";

export const ARCHIVE = "skills.tar.gz";
const MANIFEST = "manifest.json";
const JOBS = "cron-jobs.json";
const MANIFEST_MAX = 32 << 20;

const mode = z.int().min(0).max(0o777);
const manifest = z.object({
  format: z.literal(1),
  id: z.string(),
  created_at: z.iso.datetime(),
  reason: z.string(),
  files: z.array(z.object({ path: z.string(), mode, bytes: z.int().min(0), sha256: z.string() })),
  directories: z.array(z.object({ path: z.string(), mode })),
  skipped: z.array(z.string()),
});
export type BackupManifest = z.output<typeof manifest>;

const jobs = z.array(z.object({ id: z.string(), name: z.string(), skills: z.array(z.string()) }));
/** Scheduled jobs with their skills, as they were. */
export type BackupJobs = z.output<typeof jobs>;

export interface BackupDeps {
  readonly places: CuratorPlaces;
  readonly now: () => EpochMs;
  readonly ids: Pick<Ids, "hex">;
}

/** Back up all skills. The backup appears under its id when all of it is on the disk. */
export async function makeBackup(
  { places, now, ids }: BackupDeps,
  { reason, jobs: scheduled }: { readonly reason: string; readonly jobs: BackupJobs },
): Promise<SkillBackup> {
  const at = now();
  removeUnfinished(places);
  const draft = join(places.backups, `.making-${ids.hex(6)}`);
  makeDir(draft);
  try {
    const tree = listTree(places.skills);
    const files: BackupFile[] = [];
    let total = 0;
    await writeGzip(join(draft, ARCHIVE), async (write) => {
      const tar = tarWriter(write, toUnix(at));
      for (const { path, mode: bits } of tree.files) {
        const bytes = readForBackup(places.skills, path);
        total += bytes.length;
        if (total > BACKUP_BYTES_MAX)
          throw new AppError("E_INVALID", "the skills are larger than 1 GiB", {
            hint: "move large files out of the skills, or set curator.backup.enabled: false",
          });
        await tar.add(path, bytes.length, once(bytes));
        files.push({ path, mode: bits, bytes: bytes.length, sha256: digestOf(bytes) });
      }
      await tar.end();
    });
    faultPoint("curator.backup-archived");
    writeJson(join(draft, JOBS), scheduled);
    for (const id of timeIds(at)) {
      const made: BackupManifest = {
        format: 1,
        id,
        created_at: toIso(at),
        reason,
        files,
        directories: [...tree.directories],
        skipped: [...tree.skipped],
      };
      writeJson(join(draft, MANIFEST), made);
      if (!place(draft, join(places.backups, id))) continue;
      faultPoint("curator.backed-up");
      return { id, created_at: toIso(at), reason, files: files.length, bytes: sizeOf(places, id) };
    }
    throw new AppError("E_CONFLICT", `too many backups at ${toIso(at)}`, { hint: "try again in a second" });
  } catch (error) {
    removeDir(draft);
    throw error;
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  if (bytes.length > 0) yield bytes;
}

const writeJson = (path: string, value: unknown): void =>
  replaceTextFile(path, `${JSON.stringify(value, null, 1)}\n`, 0o600);

/** False: the id is taken. */
function place(draft: string, at: string): boolean {
  try {
    moveDir(draft, at);
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "E_CONFLICT") return false;
    throw error;
  }
}

const sizeOf = ({ backups }: CuratorPlaces, id: string): number => readFileSize(join(backups, id, ARCHIVE));

/** What a killed process left of a backup that it made or removed. */
function removeUnfinished({ backups }: CuratorPlaces): void {
  for (const name of listNames(backups))
    if (name.startsWith(".making-") || name.startsWith(".removing-")) removeDir(join(backups, name));
}

/** Remove the oldest backups beyond `keep`. */
export function removeOldBackups({ places, ids }: BackupDeps, keep: number): void {
  const old = listNames(places.backups).filter(isTimeId).toReversed().slice(keep);
  for (const id of old) {
    const doomed = join(places.backups, `.removing-${ids.hex(6)}`);
    moveDir(join(places.backups, id), doomed); // half of a backup is never seen under its id
    faultPoint("curator.backup-removing");
    removeDir(doomed);
  }
}

/** The newest first. One whose manifest is damaged is listed with what is known of it. */
export function listBackups(places: CuratorPlaces): readonly SkillBackup[] {
  return listNames(places.backups)
    .filter(isTimeId)
    .toReversed()
    .map((id) => {
      const read = parseManifest(places, id);
      const bytes = sizeOf(places, id);
      return read === undefined
        ? { id, created_at: timeOf(id), reason: "(damaged: its manifest cannot be read)", files: 0, bytes }
        : { id, created_at: read.created_at, reason: read.reason, files: read.files.length, bytes };
    });
}

const timeOf = (id: string): string => `${id.slice(0, 10)}T${id.slice(11, 19).replaceAll("-", ":")}.000Z`;

/**
 * The manifest of a backup, the newest without an id.
 *
 * @throws E_NOT_FOUND for an id that is not there; E_INVALID when the manifest cannot be read
 */
export function readBackupManifest(places: CuratorPlaces, wanted: string | undefined): BackupManifest {
  const ids = listNames(places.backups).filter(isTimeId);
  const id = wanted ?? ids.at(-1);
  if (id === undefined)
    throw new AppError("E_NOT_FOUND", "no backup of the skills was made", { hint: "agent curator backup makes one" });
  if (!ids.includes(id))
    throw new AppError("E_NOT_FOUND", `unknown backup ${JSON.stringify(id.slice(0, 80))}`, {
      hint: "agent curator rollback --list shows the backups",
    });
  const read = parseManifest(places, id);
  if (read !== undefined && read.id === id) return read;
  throw new AppError("E_INVALID", `the backup ${id} is damaged: its manifest cannot be read`, {
    hint: "agent curator rollback --list shows other backups",
  });
}

function parseManifest({ backups }: CuratorPlaces, id: string): BackupManifest | undefined {
  return parsed(join(backups, id, MANIFEST), manifest);
}

/** Jobs of a backup; none when they cannot be read. */
export const readJobs = ({ backups }: CuratorPlaces, id: string): BackupJobs =>
  parsed(join(backups, id, JOBS), jobs) ?? [];

function parsed<T>(path: string, form: z.ZodType<T>): T | undefined {
  const bytes = readRegularFileSync(path, MANIFEST_MAX);
  if (bytes === undefined) return undefined;
  try {
    return form.parse(JSON.parse(bytes.toString("utf8")));
  } catch {
    return undefined; /* ok to lose: its reader says that it is damaged */
  }
}
