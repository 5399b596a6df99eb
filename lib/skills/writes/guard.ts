import { join } from "node:path";
import type { SkillFile, SkillVerdict } from "../../contracts/skills/guard.js";
import type { SkillPlan, WriteFinding } from "../../contracts/skills/writes.js";
import { innerPath } from "../../safety/paths/paths.js";
import { scanSkill } from "../guard/scan.js";
import { FILE_MAX, skillFileAt, treeOf } from "./state.js";

const WEIGHT: Readonly<Record<SkillVerdict, number>> = { safe: 0, caution: 1, dangerous: 2 };

/** Judge the skills whose files a plan changes, as they will be (`skills.guard_agent_created`). */
export function guardPlan(
  { files }: Pick<SkillPlan, "files">,
  root: string,
): { readonly verdict: SkillVerdict; readonly findings: readonly WriteFinding[] } {
  let verdict: SkillVerdict = "safe";
  const findings: WriteFinding[] = [];
  for (const dir of new Set(files.map(({ path }) => skillOf(path)))) {
    const scan = scanSkill(filesOf(dir, files, root));
    if (WEIGHT[scan.verdict] > WEIGHT[verdict]) verdict = scan.verdict;
    findings.push(...scan.findings.map((one) => ({ ...one, file: `skills/${dir}/${one.file}` })));
  }
  return { verdict, findings };
}

/** Directory of the skill that a file belongs to. */
const skillOf = (path: string): string =>
  path.replace(/\/(?:SKILL\.md|(?:references|templates|scripts|assets)\/.*)$/, "");

function filesOf(dir: string, files: SkillPlan["files"], root: string): readonly SkillFile[] {
  const planned = new Map(files.map(({ path, after }) => [innerPath(path, dir), after]));
  const kept = treeOf(join(root, dir))
    .filter(({ path, kind, size }) => kind === "file" && size <= FILE_MAX && !planned.has(path))
    .flatMap(({ path }): readonly SkillFile[] => {
      const state = skillFileAt(root, `${dir}/${path}`);
      return state === null ? [] : [{ path, bytes: state.bytes, executable: (state.mode & 0o111) !== 0 }];
    });
  const changed = [...planned].flatMap(([path, state]): readonly SkillFile[] =>
    path === undefined || state === null ? [] : [{ path, bytes: state.bytes }],
  );
  return [...kept, ...changed];
}
