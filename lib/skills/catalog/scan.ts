import { join } from "node:path";
import { nextTurn } from "../../base/async/next-turn.js";
import { listDirectorySync, ownDirectory } from "../../base/fs/files.js";
import { readFileChange } from "../../base/fs/text-file.js";
import type { SkillOrigin, SkillProblem } from "../../contracts/skills/skill.js";
import { SKILL_FOLDERS } from "../../contracts/skills/texts.js";
import { isWithin, realTarget } from "../../safety/paths/paths.js";

/** A directory of skills. */
export interface SkillRoot {
  readonly dir: string;
  readonly origin: SkillOrigin;
  /** Links to directories that this user owns are followed. */
  readonly links?: true;
}

/** A file of a root, and what tells that it was changed. */
export interface FoundFile {
  readonly file: string;
  readonly dir: string;
  readonly category: string;
  readonly stamp: string;
}

/** The files below one root. */
export interface RootScan {
  /** `SKILL.md` files, by their path. */
  readonly skills: readonly FoundFile[];
  /** `DESCRIPTION.md` files. */
  readonly categories: readonly FoundFile[];
  readonly problems: readonly SkillProblem[];
}

/** Categories may lie in each other so deep. */
const DEPTH_MAX = 4;
const SKILLS_MAX = 5_000;
/** Names of one root that are looked at, skills or not. */
const NAMES_MAX = 20_000;
/** So many names are looked at before others get their turn. */
const AT_ONCE = 250;

const IGNORED: ReadonlySet<string> = new Set(["node_modules", ...SKILL_FOLDERS]);

/** Find the skills below a root by their files alone; nothing is read. */
export async function scanRoot({ dir: root, links }: SkillRoot): Promise<RootScan> {
  const skills: FoundFile[] = [];
  const categories: FoundFile[] = [];
  const problems: SkillProblem[] = [];
  const top = realTarget(root) ?? root;
  const entered = new Set([top]);
  let looked = 0;
  const enter = (path: string): boolean => {
    const real = links === true ? ownDirectory(path) : undefined;
    if (real === undefined || entered.has(real) || isWithin(top, real)) return false;
    entered.add(real);
    return true;
  };
  const walk = async (dir: string, category: readonly string[]): Promise<void> => {
    for (const { name, kind } of listDirectorySync(dir).toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (kind === "file" || name.startsWith(".") || IGNORED.has(name)) continue;
      if (skills.length >= SKILLS_MAX || looked >= NAMES_MAX) {
        problems.push({ path: root, why: `only its first ${skills.length} skills are read` });
        looked = Number.POSITIVE_INFINITY;
        return;
      }
      looked += 1;
      if (looked % AT_ONCE === 0) await nextTurn();
      const path = join(dir, name);
      if (kind === "other" && !enter(path)) continue;
      const found = fileIn(path, "SKILL.md", category);
      if (found !== undefined) skills.push(found);
      else if (category.length < DEPTH_MAX) await walk(path, [...category, name]);
      if (looked === Number.POSITIVE_INFINITY) return;
    }
    const about = category.length === 0 ? undefined : fileIn(dir, "DESCRIPTION.md", category);
    if (about !== undefined) categories.push(about);
  };
  await walk(root, []);
  return { skills, categories, problems };
}

/** The file of this name in a directory, when it is there. */
export function fileIn(dir: string, name: string, category: readonly string[]): FoundFile | undefined {
  const file = join(dir, name);
  const stamp = changeOf(file);
  return stamp === undefined ? undefined : { file, dir, category: category.join("/"), stamp };
}

function changeOf(file: string): string | undefined {
  try {
    return readFileChange(file)?.stamp;
  } catch {
    return undefined; // ok to lose: a loop of links, or a name that is too long, does not name a skill
  }
}
