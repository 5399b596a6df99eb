import { basename, relative } from "node:path";
import { AppError } from "../../base/errors.js";
import { readRegularFileSync } from "../../base/fs/files.js";
import { toIso } from "../../base/units.js";
import type { ArchivedSkill } from "../../contracts/skills/curator.js";
import { isWithin } from "../../safety/paths/paths.js";
import { readSkillText } from "../catalog/front-matter.js";
import { scanRoot } from "../catalog/scan.js";
import { type CuratorChangeDeps, scheduledSkills } from "./changes.js";
import { idleDays, isMade, type KnownSkill, knownSkills } from "./curated.js";
import { createTouched } from "./edited.js";
import type { CuratorParts } from "./exclusive.js";

const SKILL_MAX = 1 << 20;

export const isUnlisted = ({ skill, use }: KnownSkill): boolean =>
  skill.origin === "bundled" && use.state === "archived";

/** Archived skills of the home, then bundled ones that are left out of the list. */
export async function archivedSkills({
  deps,
  places,
}: Pick<CuratorParts, "deps" | "places">): Promise<readonly ArchivedSkill[]> {
  const usage = await deps.usage();
  const activity = (name: string) => {
    const at = usage.of(name).last_activity_at;
    return at === null ? null : toIso(at);
  };
  const { skills } = await scanRoot({ dir: places.archive, origin: "agent" });
  const bundled = (await knownSkills(deps.catalog, usage, places.skills)).filter(isUnlisted);
  return [
    ...skills.map(({ file, dir }) => {
      const read = readSkillText(readRegularFileSync(file, SKILL_MAX)?.toString("utf8") ?? "", basename(dir));
      const name = typeof read === "string" ? basename(dir) : read.facts.name;
      return { name, path: relative(places.archive, dir), last_activity_at: activity(name) };
    }),
    ...bundled.map(({ skill: { name } }) => ({ name, path: "", last_activity_at: activity(name) })),
  ];
}

/** For a person: also a skill that a person wrote. */
export async function archiveSkill(
  { deps, places }: CuratorParts,
  changing: CuratorChangeDeps,
  name: string,
): Promise<string> {
  const found = await deps.catalog.find(name, { env: {} });
  if (changing.usage.of(found.name).pinned)
    throw new AppError("E_STATE", `${found.name} is pinned`, { hint: `agent curator unpin ${found.name} unpins it` });
  if (!isWithin(found.dir, places.skills))
    throw new AppError("E_STATE", `${found.name} is not a skill of this home: it lies in ${found.dir}`, {
      hint: "skills.disabled switches a skill off wherever it lies",
    });
  const by = { who: "user", note: "curator archive" } as const;
  const plan = await changing.writes.plan({ action: "archive", name: found.name }, by);
  await changing.writes.apply(plan, by);
  return belowArchive(plan.moves[0]?.to ?? basename(found.dir));
}

const belowArchive = (path: string): string => path.replace(/^\.archive\//, "");

export async function restoreSkill(
  { deps, places }: CuratorParts,
  changing: CuratorChangeDeps,
  name: string,
): Promise<string> {
  const known = await knownSkills(deps.catalog, changing.usage, places.skills);
  if (known.some((one) => one.skill.name === name && isUnlisted(one))) {
    await changing.usage.change(name, (before) => ({ ...before, state: "active", last_activity_at: deps.clock.now() }));
    return "";
  }
  const by = { who: "user", note: "curator restore" } as const;
  const plan = await changing.writes.plan({ action: "restore", name }, by);
  await changing.writes.apply(plan, by);
  return plan.moves[0]?.to ?? name;
}

export async function pruneSkills(
  { deps, places }: CuratorParts,
  changing: CuratorChangeDeps,
  { days, dryRun }: { readonly days: number; readonly dryRun: boolean },
): Promise<readonly string[]> {
  const now = deps.clock.now();
  const scheduled = await scheduledSkills(changing);
  const touched = createTouched(places, changing.writes);
  const old: string[] = [];
  for (const known of (await knownSkills(deps.catalog, changing.usage, places.skills)).filter(isMade)) {
    const { skill, use } = known;
    if (use.pinned || scheduled.has(skill.name) || (await touched(known)) !== undefined) continue;
    if ((idleDays(use, now) ?? 0) >= days) old.push(skill.name);
  }
  if (dryRun) return old;
  const by = { who: "curator", note: `curator prune --days ${days}` } as const;
  for (const name of old) await changing.writes.apply(await changing.writes.plan({ action: "archive", name }, by), by);
  return old;
}
