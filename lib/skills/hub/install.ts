import { join } from "node:path";
import { AppError } from "../../base/errors.js";
import { inspectPath } from "../../base/fs/tree-read.js";
import type { InstalledSkill, SkillHubApi, SkillPreview } from "../../contracts/skills/hub.js";
import { finishSwaps, swapSkills } from "../files/swap.js";
import type { HubDeps } from "./hub-deps.js";
import { auditSkill, lockEntryOf, refusedSkill, toInstalled, whileHubLocked, withoutBits } from "./installed.js";
import { LOCK_PATH, type LockEntry, readLock, writeLock } from "./lock.js";
import { isOwn } from "./own-skills.js";
import { prepareSkill } from "./prepare.js";

export async function installSkill(
  identifier: string,
  options: Parameters<SkillHubApi["install"]>[1],
  deps: HubDeps,
): Promise<InstalledSkill | undefined> {
  await finishSwaps(deps);
  const { preview, files } = await prepareSkill(identifier, options, deps);
  const { name, path, decision } = preview;
  if (options.hash !== undefined && options.hash !== preview.hash)
    throw new AppError("E_CONFLICT", `${name} has other files than those that were shown`, {
      hint: `its hash is ${preview.hash} now; look at it again`,
    });
  checkPlace(preview, options.force, deps);
  if (decision.action === "block" && (decision.final || !options.force)) {
    auditSkill("refused", preview, deps, { forced: options.force });
    throw refusedSkill(preview);
  }
  if (!(await options.confirm(preview))) {
    auditSkill("declined", preview, deps);
    return undefined;
  }
  const entry: LockEntry = {
    ...lockEntryOf(preview, files),
    path,
    installed_at: deps.clock.now(),
    updated_at: null,
  };
  await whileHubLocked(deps, async () => {
    const lock = readLock(deps.home);
    const exists = lock[name] !== undefined ? "hub" : (await isOwn(name, deps.home)) ? "own" : "no";
    checkPlace({ ...preview, exists }, options.force, deps);
    const before = lock[name];
    await swapSkills(deps, [
      ...(before !== undefined && before.path !== path ? [{ path: before.path, to: undefined }] : []),
      { path, to: withoutBits(files) },
      { path: `.hub/base/${name}`, to: withoutBits(files) },
      { path: LOCK_PATH, to: writeLock({ ...lock, [name]: entry }) },
    ]);
  });
  auditSkill(preview.exists === "hub" ? "reinstalled" : "installed", preview, deps, {
    path,
    forced: decision.action === "block",
  });
  const now = deps.clock.now();
  await (await deps.usage()).change(name, (use) => ({ ...use, created_by: "hub", created_at: use.created_at ?? now }));
  return toInstalled(entry, deps.home);
}

/** @throws E_CONFLICT something is there that an installation would replace */
function checkPlace({ name, path, exists }: SkillPreview, force: boolean, { home }: HubDeps): void {
  if (exists === "own")
    throw new AppError("E_CONFLICT", `a skill of your own is called ${name}`, {
      hint: "--name installs it under another name",
    });
  const entry = readLock(home)[name];
  if (entry !== undefined && !force)
    throw new AppError("E_CONFLICT", `the skill ${name} is installed already`, {
      hint: `agent skills update ${name} brings it up to date; --force installs it again`,
    });
  if (entry !== undefined && toInstalled(entry, home).state === "changed")
    throw new AppError("E_CONFLICT", `files of the installed skill ${name} were changed`, {
      hint: `agent skills update ${name} keeps the changes; agent skills reset ${name} --restore gives them up`,
    });
  if (entry?.path !== path && inspectPath(join(home.dir, "skills", path)) !== undefined)
    throw new AppError("E_CONFLICT", `skills/${path} exists already`, { hint: "--category puts it elsewhere" });
}
