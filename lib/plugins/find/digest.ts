import { createHash } from "node:crypto";
import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { inspectPath, readDirentsSync, readProjectFile } from "../../base/fs/tree-read.js";

const FILES_MAX = 5_000;
const BYTES_MAX = 64 << 20;

/** All files of a plugin that could be loaded, and one hash over their names and bytes. */
export interface PluginDigest {
  readonly digest: string;
  /** Paths below the directory, sorted. */
  readonly files: readonly { readonly path: string; readonly bytes: Buffer }[];
}

/**
 * Read a plugin's directory whole, without `.git`.
 *
 * @throws E_INVALID a link, a device or an unreadable file is in it, or it is too large to be allowed by its bytes
 */
export function digestPlugin(dir: string): PluginDigest {
  const files: { path: string; bytes: Buffer }[] = [];
  let size = 0;
  const walk = (below: string): void => {
    for (const entry of readDirentsSync(join(dir, below)) ?? []) {
      const path = below === "" ? entry.name : `${below}/${entry.name}`;
      if (path === ".git") continue;
      if (entry.isDirectory()) {
        walk(path);
        continue;
      }
      if (!entry.isFile()) throw new AppError("E_INVALID", `${path} is not a regular file`);
      const read = readProjectFile(join(dir, path), BYTES_MAX - size);
      if (read === undefined || files.length >= FILES_MAX)
        throw new AppError(
          "E_INVALID",
          `more than ${FILES_MAX} files or ${BYTES_MAX >> 20} MiB, or unreadable: ${path}`,
        );
      size += read.bytes.length;
      files.push({ path, bytes: read.bytes });
    }
  };
  walk("");
  files.sort((a, b) => (a.path < b.path ? -1 : 1));
  const hash = createHash("sha256");
  for (const { path, bytes } of files) hash.update(`${Buffer.byteLength(path)}:${path}:${bytes.length}:`).update(bytes);
  return { digest: hash.digest("hex"), files };
}

/** Names, sizes and times of a plugin's own files: what changes when it is edited or updated. Packages that it depends on are not looked at. */
export function stampOf(dir: string): string {
  const hash = createHash("sha256");
  let files = 0;
  const walk = (below: string): void => {
    const names = (readDirentsSync(join(dir, below)) ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of names) {
      const path = join(below, entry.name);
      if (entry.name === ".git" || entry.name === "node_modules" || files >= FILES_MAX) continue;
      if (entry.isDirectory()) {
        walk(path);
        continue;
      }
      files += 1;
      const facts = inspectPath(join(dir, path));
      if (typeof facts === "object") hash.update(`${path}:${facts.size}:${facts.mtime}:${facts.inode}\n`);
    }
  };
  walk("");
  return hash.digest("hex");
}
