import { basename, join } from "node:path";
import { listDirectorySync, ownDirectory, readRegularFileSync } from "./files.js";
import { exists } from "./home-files.js";

/** Categories may lie in each other so deep. */
const DEPTH_MAX = 4;
const SKILLS_MAX = 5_000;
const SKILL_FILE_MAX = 1 << 20;
/** Bytes in which the name of a skill is looked for. */
const HEAD_BYTES = 2_048;

/**
 * Names of the skills below a directory: what the first lines of each `SKILL.md` say, else, and where several say the same, the name of its
 * directory. For lists and counts; the catalog of skills knows more and reads more.
 */
export function skillNamesBelow(root: string): readonly string[] {
  const dirs: string[] = [];
  const entered = new Set<string>();
  const walk = (dir: string, depth: number): void => {
    for (const { name, kind } of listDirectorySync(dir)) {
      if (kind === "file" || name.startsWith(".") || dirs.length >= SKILLS_MAX) continue;
      const path = join(dir, name);
      const real = kind === "other" ? ownDirectory(path) : path;
      if (real === undefined || entered.has(real)) continue;
      entered.add(real);
      if (exists(join(path, "SKILL.md"))) dirs.push(path);
      else if (depth < DEPTH_MAX) walk(path, depth + 1);
    }
  };
  walk(root, 0);
  const said = dirs.map(nameIn);
  const names = said.map((name, at) =>
    said.indexOf(name) === said.lastIndexOf(name) ? name : basename(dirs[at] ?? ""),
  );
  return [...new Set(names)].toSorted((a, b) => (a < b ? -1 : 1));
}

function nameIn(dir: string): string {
  const head =
    readRegularFileSync(join(dir, "SKILL.md"), SKILL_FILE_MAX)?.subarray(0, HEAD_BYTES).toString("utf8") ?? "";
  const matter = /^\uFEFF?---\r?\n([\s\S]*?)\r?\n---/.exec(head)?.[1] ?? "";
  return /^name:[ \t]*["']?([a-z0-9][a-z0-9._-]{0,63})["']?[ \t]*\r?$/m.exec(matter)?.[1] ?? basename(dir);
}
