import { pathExists } from "../../base/fs/directory.js";
import { isLockHeld } from "../../base/process/file-lock.js";
import { toIso } from "../../base/units.js";
import {
  CURATOR_APPLY,
  CURATOR_ENABLED,
  CURATOR_INTERVAL_HOURS,
  type CuratorStatus,
} from "../../contracts/skills/curator.js";
import type { SkillUse } from "../../contracts/skills/usage.js";
import { archivedSkills, isUnlisted } from "./archive.js";
import { listBackups } from "./backup.js";
import { isMade, knownSkills } from "./curated.js";
import type { CuratorParts } from "./exclusive.js";

const HOUR_MS = 3_600_000;

export async function statusOf({ deps, places, state }: CuratorParts): Promise<CuratorStatus> {
  const { config } = deps;
  const now = state.read();
  const enabled = config.get(CURATOR_ENABLED);
  const known = await knownSkills(deps.catalog, await deps.usage(), places.skills);
  const due = enabled && !now.paused && now.last_run_at !== null;
  return {
    ...now,
    enabled,
    running: isLockHeld(places.lock, deps),
    next_run_at: due ? toIso(Date.parse(now.last_run_at ?? "") + config.get(CURATOR_INTERVAL_HOURS) * HOUR_MS) : null,
    apply: config.get(CURATOR_APPLY),
    skills: known.filter(isMade).map(({ skill, use, path = "" }) => ({ name: skill.name, path, ...shownUse(use) })),
    archived: (await archivedSkills({ deps, places })).length,
    unlisted: known.filter(isUnlisted).map(({ skill }) => skill.name),
    backups: listBackups(places).length,
  };
}

function shownUse({ created_at: made, last_activity_at: active, ...use }: SkillUse) {
  return {
    ...use,
    created_at: made === null ? null : toIso(made),
    last_activity_at: active === null ? null : toIso(active),
  };
}

export async function takeSummary({ deps, places, state }: CuratorParts): Promise<string | undefined> {
  if (!pathExists(places.state)) return undefined;
  const { last_run_summary: summary, summary_shown_at: shown } = state.read();
  if (summary === null || shown !== null) return undefined;
  await state.change(() => ({ summary_shown_at: toIso(deps.clock.now()) }));
  return summary;
}
