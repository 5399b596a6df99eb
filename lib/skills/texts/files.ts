import { isAbsolute, join } from "node:path";
import { listDirectorySync, readRegularFileSync } from "../../base/fs/files.js";
import { SKILL_FOLDERS, type SkillFolder } from "../../contracts/skills/texts.js";
import { isBelow, realTarget } from "../../safety/paths/paths.js";

/** Files that are listed of one skill, and how deep they may lie. */
const LISTED_MAX = 200;
const DEPTH_MAX = 4;

/** Supporting files of a skill by folder, as paths inside it. Links and names with a dot are left out. */
export function listSkillFiles(dir: string): Readonly<Partial<Record<SkillFolder, readonly string[]>>> {
  const all: Partial<Record<SkillFolder, readonly string[]>> = {};
  const folders = new Set(listDirectorySync(dir).flatMap(({ name, kind }) => (kind === "directory" ? [name] : [])));
  for (const folder of SKILL_FOLDERS) {
    if (!folders.has(folder)) continue; // a link leads elsewhere
    const files: string[] = [];
    collect(join(dir, folder), folder, files, 1);
    if (files.length > 0) all[folder] = files;
  }
  return all;
}

function collect(dir: string, inside: string, files: string[], depth: number): void {
  for (const { name, kind } of listDirectorySync(dir).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (files.length >= LISTED_MAX) return;
    if (name.startsWith(".") || /[\u0000-\u001f\u007f]/.test(name)) continue;
    if (kind === "file") files.push(`${inside}/${name}`);
    else if (kind === "directory" && depth < DEPTH_MAX) collect(join(dir, name), `${inside}/${name}`, files, depth + 1);
  }
}

/** The path of a file in a skill as it was named, or what is wrong with it. */
export function checkInnerPath(given: string): string | undefined {
  if (given.includes("\0") || given.trim() === "") return "it is not the path of a file";
  if (isAbsolute(given) || given.startsWith("~") || /^[A-Za-z]:/.test(given) || given.includes("\\"))
    return "it must be relative to the skill";
  return given.split("/").includes("..") ? "it must not contain '..'" : undefined;
}

/**
 * Bytes of a plain file inside a skill, at most `max`; no link leads to it or out of the skill. "away": it leads somewhere else; undefined: it is missing,
 * something else than a file, or larger.
 */
export function readInner(dir: string, inner: string, max: number): Buffer | "away" | undefined {
  const root = realTarget(dir);
  const path = join(dir, inner);
  const real = realTarget(path);
  if (root === undefined || real === undefined) return undefined;
  if (!isBelow(real, root) || real !== join(root, inner)) return "away";
  return readRegularFileSync(real, max);
}
