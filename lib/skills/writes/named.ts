import { basename } from "node:path";
import { readRegularFileSync } from "../../base/fs/files.js";
import { readSkillText } from "../catalog/front-matter.js";
import { scanRoot } from "../catalog/scan.js";

/** Names of the skills of a directory, by the file that says them, as long as it stays the same. */
export type KnownNames = Map<string, { readonly stamp: string; readonly name: string }>;

const SKILL_FILE_MAX = 1 << 20;

/** Directories of the skills of this name below `root`, absolute. One whose file cannot be used has the name of its directory. */
export async function skillDirs(root: string, name: string, known: KnownNames): Promise<readonly string[]> {
  const { skills } = await scanRoot({ dir: root, origin: "user" });
  return skills.filter(({ file, dir, stamp }) => nameOf({ file, dir, stamp }, known) === name).map(({ dir }) => dir);
}

function nameOf(
  { file, dir, stamp }: { readonly file: string; readonly dir: string; readonly stamp: string },
  known: KnownNames,
): string {
  const before = known.get(file);
  if (before?.stamp === stamp) return before.name;
  const read = readSkillText(readRegularFileSync(file, SKILL_FILE_MAX)?.toString("utf8") ?? "", basename(dir));
  const name = typeof read === "string" ? basename(dir) : read.facts.name;
  known.set(file, { stamp, name });
  return name;
}
