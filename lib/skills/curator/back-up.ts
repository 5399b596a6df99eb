import { CURATOR_BACKUP_KEEP, type SkillBackup, type SkillRollback } from "../../contracts/skills/curator.js";
import { type BackupJobs, makeBackup, readBackupManifest, readJobs, removeOldBackups } from "./backup.js";
import { type CuratorParts, relinkJobs, whileSkillsLocked } from "./exclusive.js";
import { closeRollback, exchangeTrees, finishRollback, stageBackup } from "./rollback.js";

export async function backUpSkills({ deps, places }: CuratorParts, reason: string): Promise<SkillBackup> {
  const { clock, ids, config, cron } = deps;
  const jobs: BackupJobs = ((await cron?.list(true)) ?? []).map(({ id, name, skills }) => ({
    id,
    name,
    skills: [...skills],
  }));
  const making = { places, now: clock.now, ids };
  const made = await makeBackup(making, { reason, jobs });
  removeOldBackups(making, config.get(CURATOR_BACKUP_KEEP));
  return made;
}

export async function rollBackSkills(parts: CuratorParts, wanted: string | undefined): Promise<SkillRollback> {
  const { deps, places } = parts;
  const manifest = readBackupManifest(places, wanted);
  await stageBackup(places, manifest);
  const jobs = readJobs(places, manifest.id); // the backup itself may go when one of the present is made
  const before = readBackupManifest(places, (await backUpSkills(parts, `before rollback to ${manifest.id}`)).id);
  await whileSkillsLocked(parts, async () => exchangeTrees(places, manifest, before));
  const linked = await relinkJobs(deps, jobs);
  const rest = finishRollback(places);
  if (rest !== undefined) closeRollback(places, rest);
  const kept =
    rest?.kept === undefined
      ? []
      : [`links and special files are in no backup; the former skills are kept in ${rest.kept}`];
  return {
    id: manifest.id,
    before: before.id,
    files: manifest.files.length,
    jobs: linked.jobs,
    warnings: [...kept, ...linked.warnings],
  };
}
