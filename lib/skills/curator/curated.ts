import { relative } from "node:path";
import type { EpochMs } from "../../base/units.js";
import type { Skill, SkillsApi } from "../../contracts/skills/skill.js";
import type { SkillUsage, SkillUse } from "../../contracts/skills/usage.js";
import { isWithin } from "../../safety/paths/paths.js";

/** A skill of the home, or a bundled one, with what is known of its use. */
export interface KnownSkill {
  readonly skill: Skill;
  readonly use: SkillUse;
  /** Directory below `skills/`; undefined for a skill that lies elsewhere. */
  readonly path: string | undefined;
}

/** The skills with unique names. Those that are switched off are left alone. */
export async function knownSkills(
  catalog: SkillsApi,
  usage: SkillUsage,
  skillsDir: string,
): Promise<readonly KnownSkill[]> {
  const { skills } = await catalog.catalog({ env: {} });
  const uses = usage.all();
  return skills.map((skill) => ({
    skill,
    use: uses.get(skill.name) ?? usage.of(skill.name),
    path: isWithin(skill.dir, skillsDir) ? relative(skillsDir, skill.dir) : undefined,
  }));
}

/** Whether the agent made it, in the home. What people wrote, and what came from elsewhere, is never changed. */
export const isMade = ({ skill, use, path }: KnownSkill): boolean =>
  path !== undefined && skill.origin !== "hub" && skill.origin !== "bundled" && use.created_by === "agent";

const DAY_MS = 24 * 60 * 60_000;

/** Days without activity after which a skill is stale, and after which it is archived. */
export interface Ages {
  readonly stale: number;
  readonly archive: number;
}

/** Whole days since the last activity; undefined: nothing is known, and it counts from now on. */
export function idleDays(
  { last_activity_at: active, created_at: created }: SkillUse,
  now: EpochMs,
): number | undefined {
  const since = Math.max(active ?? -1, created ?? -1);
  return since < 0 ? undefined : Math.max(0, Math.floor((now - since) / DAY_MS));
}

/** What the time without activity makes of a skill (core part, 29). */
export function stateByAge(use: SkillUse, now: EpochMs, ages: Ages): SkillUse["state"] {
  const days = idleDays(use, now) ?? 0;
  if (days >= ages.archive) return "archived";
  return days >= ages.stale ? "stale" : "active";
}
