import { createHash } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { readGzip } from "../../base/fs/gzip-file.js";
import { readDirentsSync, readProjectFile } from "../../base/fs/tree-read.js";
import type { SkillFile } from "../../contracts/skills/guard.js";
import { badArchive, checkName } from "../../safety/archive/tar-name.js";
import { readTar } from "../../safety/archive/tar-read.js";
import { readZip } from "../../safety/archive/zip-read.js";

/** Bounds of one skill (housekeeping part, 8). */
export const HUB_FILES_MAX = 500;
export const HUB_BYTES_MAX = 20 << 20;
const DEPTH_MAX = 12;

const refused = (why: string, path?: string): AppError =>
  new AppError(
    "E_INVALID",
    `the skill is refused: ${why}${path === undefined ? "" : ` ${JSON.stringify(path.slice(0, 200))}`}`,
    {
      hint: "nothing of it was installed",
    },
  );

/**
 * The files of a directory as they are at this moment: what is scanned and what is installed are these bytes, even if the directory
 * changes. `.git` at its top is left out.
 *
 * @throws E_INVALID links, devices, names that no file system keeps apart, too much
 */
export function filesOfDirectory(dir: string): readonly SkillFile[] {
  const files: SkillFile[] = [];
  let left = HUB_BYTES_MAX;
  const walk = (below: string, depth: number): void => {
    if (depth > DEPTH_MAX) throw refused("directories lie too deep:", below);
    const entries = readDirentsSync(join(dir, below));
    if (entries === undefined) throw refused("a directory cannot be read:", below);
    for (const entry of entries) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (path === ".git") continue;
      if (entry.isDirectory()) {
        walk(path, depth + 1);
        continue;
      }
      if (entry.isSymbolicLink()) throw refused("a symbolic link:", path);
      if (!entry.isFile()) throw refused("a device, pipe or socket:", path);
      if (files.length >= HUB_FILES_MAX) throw refused(`more than ${HUB_FILES_MAX} files`);
      const read = readProjectFile(join(dir, path), left);
      if (read === undefined) throw refused(`more than ${HUB_BYTES_MAX >> 20} MiB, or unreadable:`, path);
      left -= read.bytes.length;
      files.push({ path, bytes: read.bytes, executable: (read.seen.mode & 0o111) !== 0 });
    }
  };
  walk("", 1);
  return checkSkillFiles(files);
}

/** The files of a downloaded archive. @throws E_INVALID */
export async function filesOfArchive(path: string, bytes: Buffer): Promise<readonly SkillFile[]> {
  const bounds = { members: HUB_FILES_MAX, bytes: HUB_BYTES_MAX };
  if (bytes.subarray(0, 2).toString("latin1") === "PK")
    return checkSkillFiles(readZip(bytes, bounds).map(({ name, bytes: content }) => ({ path: name, bytes: content })));
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) throw badArchive("it is neither a zip archive nor a .tar.gz");
  const files: SkillFile[] = [];
  // Headers and padding are read as well.
  const room = { members: bounds.members, bytes: bounds.bytes + bounds.members * 2_048 };
  await readTar(readGzip(path), room, (name) => {
    const pieces: Buffer[] = [];
    return {
      write: (piece) => void pieces.push(Buffer.from(piece)),
      end: () => void files.push({ path: name, bytes: Buffer.concat(pieces) }),
    };
  });
  return checkSkillFiles(files);
}

/** Archives often hold one directory: it is the skill. */
export function skillRoot(files: readonly SkillFile[]): readonly SkillFile[] {
  const has = (path: string) => files.some((file) => file.path === path);
  if (has("SKILL.md")) return files;
  const tops = [...new Set(files.map(({ path }) => path.split("/")[0] ?? ""))];
  const [only = ""] = tops;
  if (tops.length === 1 && has(`${only}/SKILL.md`))
    return files.map((file) => ({ ...file, path: file.path.slice(only.length + 1) }));
  throw new AppError("E_NOT_FOUND", "SKILL.md is missing: neither at the top nor in a single directory", {
    hint: "name the directory of a skill, or an archive of it",
  });
}

/** Names that a file system cannot keep apart, that mean something to git or Windows, or that lead elsewhere. */
export function checkSkillFiles(files: readonly SkillFile[]): readonly SkillFile[] {
  const seen = new Map<string, string>();
  const prefixes = new Map<string, string>();
  let bytes = 0;
  for (const { path, bytes: content } of files) {
    checkName(path, false);
    const parts = path.split("/");
    for (const part of parts) {
      if (part.toLowerCase() === ".git") throw refused("a repository of git inside:", path);
      if (/[<>:"|?*]|[. ]$/.test(part) || /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(part))
        throw refused("a name that not every system can have:", path);
      if (/[\u0080-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]|[\u{e0000}-\u{e007f}]/u.test(part))
        throw refused("a name with invisible characters:", path);
    }
    const key = fold(path);
    if (seen.has(key)) throw refused("names that differ only in case or form:", path);
    seen.set(key, path);
    for (let end = 1; end < parts.length; end++) {
      const prefix = parts.slice(0, end).join("/");
      const known = prefixes.get(fold(prefix));
      if (known !== undefined && known !== prefix) throw refused("names that differ only in case or form:", path);
      prefixes.set(fold(prefix), prefix);
    }
    bytes += content.length;
  }
  for (const key of prefixes.keys()) if (seen.has(key)) throw refused("a file where a directory is:", seen.get(key));
  if (files.length > HUB_FILES_MAX) throw refused(`more than ${HUB_FILES_MAX} files`);
  if (bytes > HUB_BYTES_MAX) throw refused(`more than ${HUB_BYTES_MAX >> 20} MiB`);
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

const fold = (path: string): string => path.normalize("NFC").toLowerCase();

/** SHA-256 of bytes, as hex digits. */
export const digestBytes = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

/** One hash over names and bytes of all files. */
export function digestFiles(files: readonly SkillFile[]): string {
  const hash = createHash("sha256");
  for (const { path, bytes } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    hash.update(`${Buffer.byteLength(path)}:${path}:${bytes.length}:`).update(bytes);
  return hash.digest("hex");
}
