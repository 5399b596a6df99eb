import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { listNames } from "../../base/fs/directory.js";
import { inspectPath } from "../../base/fs/tree-read.js";
import type { SkillFile } from "../../contracts/skills/guard.js";
import type { SkillCheck, SkillHubApi, SkillUpdate, SkillUses, UpdatedSkill } from "../../contracts/skills/hub.js";
import { type SkillChange, swapSkills } from "../files/swap.js";
import { digestFiles, filesOfDirectory } from "./collect.js";
import type { HubDeps } from "./hub-deps.js";
import {
  auditSkill,
  baseDir,
  refusedSkill,
  releaseOf,
  renewedEntry,
  toInstalled,
  whileHubLocked,
  withoutBits,
} from "./installed.js";
import { LOCK_PATH, type LockEntry, readLock, writeLock } from "./lock.js";
import { fetchAgain } from "./prepare.js";
import { mergeSkill } from "./three-way.js";

const BACKUPS_KEPT = 5;

export async function checkEntry(
  entry: LockEntry,
  deps: HubDeps,
  signal: AbortSignal | undefined,
): Promise<SkillCheck> {
  const { state, changes } = toInstalled(entry, deps.home);
  const known = { name: entry.name, state, changes, from: releaseOf(entry) };
  try {
    const { preview } = await fetchAgain(entry, deps, signal);
    return {
      ...known,
      update: preview.hash === entry.hash ? "none" : "available",
      to: releaseOf(preview),
      error: null,
    };
  } catch (error) {
    signal?.throwIfAborted();
    return { ...known, update: "unknown", to: "", error: error instanceof Error ? error.message : String(error) };
  }
}

export async function updateEntry(
  entry: LockEntry,
  options: Parameters<SkillHubApi["update"]>[1],
  deps: HubDeps,
): Promise<UpdatedSkill> {
  const { name } = entry;
  const none = { name, conflicts: [], files: [], error: null };
  try {
    const { preview, files } = await fetchAgain(entry, deps, options.signal);
    if (preview.hash === entry.hash && entry.follows.length === 0) return { ...none, result: "current" };
    const dir = join(deps.home.dir, "skills", entry.path);
    const mine = inspectPath(dir) === undefined ? [] : filesOfDirectory(dir);
    const missing = mine.length === 0;
    const base = missing ? [] : filesOfDirectory(baseDir(name, deps.home));
    const merged = mergeSkill({ base, mine, theirs: withoutBits(files), follows: new Set(entry.follows) });
    const update: SkillUpdate = {
      name,
      from: releaseOf(entry),
      to: releaseOf(preview),
      files: merged.updates,
      asks: preview.verdict !== entry.verdict || usesMore(entry.uses, preview.uses),
      preview,
    };
    const { decision } = preview;
    if (decision.action === "block" && (decision.final || !options.force) && preview.verdict !== entry.verdict) {
      auditSkill("refused", preview, deps, { update: true });
      return { ...none, result: "blocked", files: merged.updates, error: refusedSkill(preview).message };
    }
    if (!(await options.confirm(update))) return { ...none, result: "declined", files: merged.updates };
    await whileHubLocked(deps, async () => {
      const lock = readLock(deps.home);
      const still = inspectPath(dir) === undefined ? [] : filesOfDirectory(dir);
      if (lock[name]?.hash !== entry.hash || digestFiles(still) !== digestFiles(mine))
        throw new AppError("E_CONFLICT", `${name} was changed meanwhile`, { hint: "update it again" });
      const now = deps.clock.now();
      const next = renewedEntry(entry, { preview, files }, now);
      await swapSkills(deps, [
        { path: entry.path, to: merged.files },
        { path: `.hub/base/${name}`, to: withoutBits(files) },
        { path: LOCK_PATH, to: writeLock({ ...lock, [name]: next }) },
        ...backupChanges(name, mine, now, deps.home),
      ]);
    });
    auditSkill("updated", preview, deps, { from: entry.hash });
    const conflicts = merged.updates.flatMap(({ path, action }) => (action === "conflict" ? [path] : []));
    return { ...none, result: "updated", files: merged.updates, conflicts };
  } catch (error) {
    options.signal?.throwIfAborted();
    return { ...none, result: "failed", error: error instanceof Error ? error.message : String(error) };
  }
}

/** The files before an update; five of a skill are kept. */
function backupChanges(
  name: string,
  mine: readonly SkillFile[],
  now: number,
  home: HubDeps["home"],
): readonly SkillChange[] {
  if (mine.length === 0) return [];
  const kept = listNames(join(home.dir, "skills", ".hub", "backups", name));
  const stamp = new Date(now).toISOString().replaceAll(":", "-");
  const old = kept.filter((one) => one !== stamp).slice(0, Math.max(0, kept.length - BACKUPS_KEPT + 1));
  return [
    { path: `.hub/backups/${name}/${stamp}`, to: mine },
    ...old.map((one) => ({ path: `.hub/backups/${name}/${one}`, to: undefined })),
  ];
}

/** The new files name something that the old ones did not. */
const usesMore = (before: SkillUses, after: SkillUses): boolean =>
  (Object.keys(after) as (keyof SkillUses)[]).some((kind) => after[kind].some((one) => !before[kind].includes(one))); // keys of the object itself
