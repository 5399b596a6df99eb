import { join } from "node:path";
import * as z from "zod";
import { AppError, toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { listNames, makeDir, moveDir, pathExists, removeDir, removeFileSync } from "../../base/fs/directory.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import { readGzip } from "../../base/fs/gzip-file.js";
import { moveTree } from "../../base/fs/home-files.js";
import { replaceTextFile } from "../../base/fs/text-file.js";
import { inspectPath } from "../../base/fs/tree-read.js";
import { changesBelow, type ProjectChanges } from "../../base/fs/tree-write.js";
import { readTar } from "../../safety/archive/tar-read.js";
import { ARCHIVE, type BackupManifest } from "./backup.js";
import { BACKUP_BYTES_MAX, BACKUP_FILE_BYTES_MAX, BACKUP_FILES_MAX, digestOf, isBackedUp } from "./backup-files.js";
import type { CuratorPlaces } from "./places.js";

const intent = z.object({
  /** Backup that is restored. */
  id: z.string(),
  /** Backup of the state before. */
  before: z.string(),
  /** `files`: trees are being exchanged. `jobs`: only the scheduled jobs are left. */
  phase: z.enum(["files", "jobs"]),
  /** Entries of `skills/` that go, and that come. */
  present: z.array(z.string()),
  incoming: z.array(z.string()),
  directories: z.array(z.object({ path: z.string(), mode: z.number() })),
  /** The former tree is kept beside the backup of it: something in it is not in the backup. */
  keepsOld: z.boolean(),
});
type Intent = z.output<typeof intent>;

const INTENT_MAX = 8 << 20;

/** Below `skills/`. */
const ROLLBACK_DIR = ".curator_rollback";

/** Where a rollback works. It exists only while one is under way, or after one that was killed. */
const stageOf = ({ skills }: CuratorPlaces): string => join(skills, ROLLBACK_DIR);
const intentOf = (places: CuratorPlaces): string => join(stageOf(places), "intent.json");

/** Whether a rollback is under way or was killed. */
export const isRollbackOpen = (places: CuratorPlaces): boolean => pathExists(stageOf(places));

/**
 * Unpack a backup beside the skills and check all of it against its manifest.
 *
 * @throws E_INVALID: nothing was changed
 */
export async function stageBackup(places: CuratorPlaces, manifest: BackupManifest): Promise<void> {
  const stage = stageOf(places);
  removeDir(stage);
  const into = join(stage, "new");
  makeDir(into);
  try {
    await unpack(join(places.backups, manifest.id, ARCHIVE), into, manifest);
  } catch (error) {
    removeDir(stage);
    throw bad(manifest.id, error);
  }
}

function bad(id: string, error: unknown): AppError {
  const { code, message } = toAppError(error);
  if (code !== "E_INVALID" && code !== "E_NOT_FOUND") return toAppError(error);
  return new AppError(
    "E_INVALID",
    `the backup ${id} cannot be restored: ${message}`,
    { id, hint: "nothing was changed; agent curator rollback --list shows other backups" },
    error,
  );
}

async function unpack(archive: string, into: string, manifest: BackupManifest): Promise<void> {
  const expected = new Map(manifest.files.map((file) => [file.path, file]));
  const write = changesBelow(into);
  const made = new Set<string>();
  for (const { path } of manifest.directories) makeWay(write, `${checked(path)}/x`, made);
  await readTar(readGzip(archive), { members: BACKUP_FILES_MAX, bytes: 2 * BACKUP_BYTES_MAX }, (name, size) => {
    const file = expected.get(checked(name));
    if (file === undefined || file.bytes !== size || size > BACKUP_FILE_BYTES_MAX)
      throw new AppError("E_INVALID", `${JSON.stringify(name)} is not what the manifest says`);
    makeWay(write, name, made);
    const parts: Buffer[] = [];
    return {
      write: (part) => void parts.push(Buffer.from(part)),
      end: () => {
        const bytes = Buffer.concat(parts);
        if (digestOf(bytes) !== file.sha256)
          throw new AppError("E_INVALID", `${JSON.stringify(name)} is not what the manifest says`);
        write.placeFile(name, bytes, file.mode);
        expected.delete(name);
      },
    };
  });
  const [missing] = expected.keys();
  if (missing !== undefined) throw new AppError("E_INVALID", `${JSON.stringify(missing)} is missing in the archive`);
}

/** A path of a backup stays below `skills/`, and names no file of the program's own. */
function checked(path: string): string {
  const parts = path.split("/");
  const outside = path.startsWith("/") || parts.some((part) => part === "" || part === "." || part === "..");
  if (outside || path.includes("\0") || !isBackedUp(parts[0] ?? ""))
    throw new AppError("E_INVALID", `${JSON.stringify(path.slice(0, 200))} is not a path of a skill`);
  return path;
}

/** Make the directories above a path. */
function makeWay(write: ProjectChanges, path: string, made: Set<string>): void {
  const parts = path.split("/");
  for (let depth = 1; depth < parts.length; depth++) {
    const dir = parts.slice(0, depth).join("/");
    if (made.has(dir)) continue;
    write.makeDirectory(dir, 0o700);
    made.add(dir);
  }
}

/** Exchange the staged tree for the present one. A crash is finished by `finishRollback`; a failure puts everything back. */
export function exchangeTrees(places: CuratorPlaces, manifest: BackupManifest, before: BackupManifest): void {
  const stage = stageOf(places);
  makeDir(join(stage, "old"));
  const wanted: Intent = {
    id: manifest.id,
    before: before.id,
    phase: "files",
    present: listNames(places.skills).filter((name) => isBackedUp(name) && isPlain(join(places.skills, name))),
    incoming: listNames(join(stage, "new")),
    directories: manifest.directories,
    keepsOld: before.skipped.some((path) => path.includes("/")),
  };
  writeIntent(places, wanted);
  faultPoint("curator.rollback-planned");
  try {
    exchange(places, wanted);
  } catch (error) {
    revert(places, wanted);
    removeFileSync(intentOf(places));
    removeDir(stage);
    throw error;
  }
}

/** A link or a special file is in no backup, and stays where it is. */
function isPlain(path: string): boolean {
  const seen = inspectPath(path);
  return seen !== undefined && seen !== "unreadable" && (seen.kind === "file" || seen.kind === "directory");
}

const writeIntent = (places: CuratorPlaces, wanted: Intent): void =>
  replaceTextFile(intentOf(places), `${JSON.stringify(wanted)}\n`, 0o600);

/** Every step is left out when it was done before. */
function exchange(places: CuratorPlaces, wanted: Intent): void {
  const { skills } = places;
  const old = join(stageOf(places), "old");
  const fresh = join(stageOf(places), "new");
  for (const name of wanted.present) {
    if (pathExists(join(old, name)) || !pathExists(join(skills, name))) continue;
    moveTree(join(skills, name), join(old, name));
    faultPoint("curator.rollback-moving");
  }
  for (const name of wanted.incoming) {
    if (!pathExists(join(fresh, name))) continue;
    moveTree(join(fresh, name), join(skills, name));
    faultPoint("curator.rollback-moving");
  }
  const write = changesBelow(skills);
  for (const { path, mode } of wanted.directories.toReversed()) write.setMode(path, mode);
  writeIntent(places, { ...wanted, phase: "jobs" });
  faultPoint("curator.rollback-moved");
}

function revert(places: CuratorPlaces, { incoming, present }: Intent): void {
  const { skills } = places;
  const old = join(stageOf(places), "old");
  const fresh = join(stageOf(places), "new");
  for (const name of incoming)
    if (!pathExists(join(fresh, name)) && pathExists(join(skills, name)))
      moveTree(join(skills, name), join(fresh, name));
  for (const name of present) if (pathExists(join(old, name))) moveTree(join(old, name), join(skills, name));
}

/** What is still to be done after the trees were exchanged. */
export interface RollbackRest {
  readonly id: string;
  /** Where the former tree was kept, since something in it is not in the backup. */
  readonly kept: string | undefined;
}

/**
 * Finish the exchange of a rollback that was killed, or remove what one left that never began.
 *
 * @returns the rollback whose scheduled jobs are to be set back; undefined: without one
 */
export function finishRollback(places: CuratorPlaces): RollbackRest | undefined {
  if (!isRollbackOpen(places)) return undefined;
  const wanted = readIntent(places);
  if (wanted === undefined) {
    removeDir(stageOf(places));
    return undefined;
  }
  if (wanted.phase === "files") exchange(places, wanted);
  return { id: wanted.id, kept: wanted.keepsOld ? join(places.backups, wanted.before, "set-aside") : undefined };
}

/** The scheduled jobs are set back too: nothing of the rollback is left to do. */
export function closeRollback(places: CuratorPlaces, { kept }: RollbackRest): void {
  const old = join(stageOf(places), "old");
  if (kept !== undefined && pathExists(old) && !pathExists(kept)) moveDir(old, kept);
  removeFileSync(intentOf(places));
  removeDir(stageOf(places));
}

function readIntent(places: CuratorPlaces): Intent | undefined {
  const bytes = readRegularFileSync(intentOf(places), INTENT_MAX);
  if (bytes === undefined) return undefined;
  return intent.parse(JSON.parse(bytes.toString("utf8"))); // written whole, or not at all
}
