import type { SkillCheck, SkillHubApi, UpdatedSkill } from "../../contracts/skills/hub.js";
import { finishSwaps } from "../files/swap.js";
import { auditSkills } from "./audit-skills.js";
import { filesOfDirectory } from "./collect.js";
import { exportSkill } from "./export.js";
import type { HubDeps } from "./hub-deps.js";
import { installSkill } from "./install.js";
import { chosenEntries, toInstalled } from "./installed.js";
import { type HubLock, readAudit, readLock } from "./lock.js";
import { ownSkill } from "./own-skills.js";
import { prepareSkill, trustOf } from "./prepare.js";
import { publishSkill } from "./publish.js";
import { resetSkill, uninstallSkill } from "./remove.js";
import { repairOfficial } from "./repair.js";
import { checkTap, searchSources } from "./search.js";
import { checkEntry, updateEntry } from "./update.js";

/** @see SkillHubApi */
export function createSkillHub(deps: HubDeps): SkillHubApi {
  const { home } = deps;
  const entries = async (): Promise<HubLock> => {
    await finishSwaps(deps);
    return readLock(home);
  };
  return {
    search: async (query, signal) => {
      const lock = await entries();
      return await searchSources(query, { ...deps, trustOf: (origin) => trustOf(origin, deps), lock }, signal);
    },
    inspect: async (identifier, { cwd, local, signal }) =>
      (await prepareSkill(identifier, { cwd, local, ...(signal !== undefined && { signal }) }, deps)).preview,
    install: async (identifier, options) => await installSkill(identifier, options, deps),
    list: async () => Object.values(await entries()).map((entry) => toInstalled(entry, home)),
    check: async (name, signal) => {
      const checked: SkillCheck[] = [];
      for (const entry of chosenEntries(await entries(), name)) checked.push(await checkEntry(entry, deps, signal));
      return checked;
    },
    update: async (name, options) => {
      const done: UpdatedSkill[] = [];
      for (const entry of chosenEntries(await entries(), name)) done.push(await updateEntry(entry, options, deps));
      return done;
    },
    audit: async (name, deep) => await auditSkills(await entries(), { name, deep }, home),
    uninstall: async (name, force) => await uninstallSkill(name, force, deps),
    reset: async (name, restore) => await resetSkill(name, restore, deps),
    repairOfficial: async () => await repairOfficial(deps),
    publish: async (name, to, force) => {
      const { dir } = await ownSkill(name, home);
      return await publishSkill(filesOfDirectory(dir), { name, to, force });
    },
    export: async (name, to, force) => {
      const { dir } = await ownSkill(name, home);
      return await exportSkill(filesOfDirectory(dir), { name, to, force, now: deps.clock.now() });
    },
    checkTap: async (repository, signal) =>
      await checkTap(repository, { ...deps, trustOf: (origin) => trustOf(origin, deps), lock: {} }, signal),
    log: async (limit) => readAudit(home, limit),
  };
}
