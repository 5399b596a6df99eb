import { join } from "node:path";
import { inspectPath } from "../../base/fs/tree-read.js";
import type { SkillAudit, SkillUses } from "../../contracts/skills/hub.js";
import { scanSkill } from "../guard/scan.js";
import { skillUses } from "../guard/uses.js";
import { filesOfDirectory } from "./collect.js";
import type { HubDeps } from "./hub-deps.js";
import { chosenEntries, notInstalled, toInstalled } from "./installed.js";
import type { HubLock } from "./lock.js";
import { homeSkills } from "./own-skills.js";

export async function auditSkills(
  lock: HubLock,
  { name, deep }: { readonly name: string | undefined; readonly deep: boolean },
  home: HubDeps["home"],
): Promise<readonly SkillAudit[]> {
  const hub = name === undefined || lock[name] !== undefined ? chosenEntries(lock, name) : [];
  const audits: SkillAudit[] = hub.map((entry) => {
    const { state, changes } = toInstalled(entry, home);
    return {
      name: entry.name,
      origin: "hub",
      state,
      changes,
      installed_verdict: entry.verdict,
      ...judge(join(home.dir, "skills", entry.path)),
    };
  });
  if (name !== undefined && hub.length > 0) return audits;
  if (!deep && name === undefined) return audits;
  const skills = await homeSkills(home);
  const places = new Set(Object.values(lock).map(({ path }) => join(home.dir, "skills", path)));
  const own = skills.filter((one) => !places.has(one.dir) && (name === undefined || one.name === name));
  if (name !== undefined && own.length === 0) throw notInstalled(name, lock);
  return [
    ...audits,
    ...own.map(
      (one): SkillAudit => ({
        name: one.name,
        origin: "own",
        state: "unchanged",
        changes: [],
        installed_verdict: null,
        ...judge(one.dir),
      }),
    ),
  ];
}

const NOTHING: SkillUses = { tools: [], hosts: [], programs: [], paths: [], scripts: [], variables: [] };

/** What the files say now; a directory that cannot be read, or holds links, is a finding. */
function judge(dir: string): Pick<SkillAudit, "verdict" | "findings" | "uses"> {
  if (inspectPath(dir) === undefined) return { verdict: "safe", findings: [], uses: NOTHING };
  try {
    const files = filesOfDirectory(dir);
    return { ...scanSkill(files), uses: skillUses(files) };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return {
      verdict: "caution",
      findings: [{ rule: "unreadable", severity: "caution", file: "", line: 0, text }],
      uses: NOTHING,
    };
  }
}
