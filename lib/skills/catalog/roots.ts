import { join } from "node:path";
import type { Home } from "../../base/home.js";
import { expandTilde } from "../../base/tilde.js";
import type { Config } from "../../contracts/config/config.js";
import { SKILLS_BUNDLED, SKILLS_EXTERNAL_DIRS } from "../../contracts/skills/keys.js";
import type { SkillPlace } from "../../contracts/skills/skill.js";
import { realTarget } from "../../safety/paths/paths.js";
import { repositoryOf } from "../../tools/run/project.js";
import type { SkillRoot } from "./scan.js";

export interface RootsDeps {
  readonly home: Pick<Home, "dir">;
  readonly config: Pick<Config, "get">;
  /** The account's own home, for `~` in settings. */
  readonly userHome: () => string;
  /** Directory of the skills that come with the product; undefined: without any. */
  readonly bundled: string | undefined;
}

/** Where skills of a place are, the first before the others: what a project calls by the name of another skill does not take its place. */
export function rootsFor(deps: RootsDeps, { cwd }: SkillPlace): readonly SkillRoot[] {
  const { home, config, userHome, bundled } = deps;
  return [
    { dir: join(home.dir, "skills"), origin: "user", links: true },
    ...config
      .get(SKILLS_EXTERNAL_DIRS)
      .map((dir) => ({ dir: expandTilde(dir, userHome()), origin: "external" as const })),
    ...(bundled !== undefined && config.get(SKILLS_BUNDLED) ? [{ dir: bundled, origin: "bundled" as const }] : []),
    ...(cwd === undefined ? [] : projectDirs(cwd, deps).map((dir) => ({ dir, origin: "project" as const }))),
  ];
}

const PROJECT_DIRS = [".agents/skills", ".agent/skills"] as const;

/** Directories of the project that no link leads to. The user's home does not count as a project. */
function projectDirs(cwd: string, { home, userHome }: RootsDeps): readonly string[] {
  const real = realTarget(cwd);
  if (real === undefined) return [];
  const root = repositoryOf(real) ?? real;
  if (root === realTarget(userHome())) return [];
  const own = realTarget(join(home.dir, "skills"));
  return PROJECT_DIRS.map((name) => join(root, name)).filter((dir) => realTarget(dir) === dir && dir !== own);
}
