import { AppError } from "../../base/errors.js";
import type { InstalledSkill } from "../../contracts/skills/hub.js";
import { finishSwaps, swapSkills } from "../files/swap.js";
import { filesOfDirectory } from "./collect.js";
import type { HubDeps } from "./hub-deps.js";
import { baseDir, notInstalled, toInstalled, whileHubLocked } from "./installed.js";
import { audit, LOCK_PATH, type LockEntry, readLock, writeLock } from "./lock.js";

export async function uninstallSkill(name: string, force: boolean, deps: HubDeps): Promise<InstalledSkill> {
  await finishSwaps(deps);
  const gone = await whileHubLocked(deps, async () => {
    const lock = readLock(deps.home);
    const entry = lock[name];
    if (entry === undefined) throw notInstalled(name, lock);
    const installed = toInstalled(entry, deps.home);
    if (installed.state === "changed" && !force)
      throw new AppError("E_CONFLICT", `files of ${name} were changed: ${installed.changes.slice(0, 5).join(", ")}`, {
        hint: "--force removes them anyway",
      });
    const others = Object.fromEntries(Object.entries(lock).filter(([key]) => key !== name));
    await swapSkills(deps, [
      { path: entry.path, to: undefined },
      { path: `.hub/base/${name}`, to: undefined },
      { path: LOCK_PATH, to: writeLock(others) },
    ]);
    return installed;
  });
  audit(deps.home, {
    at: new Date(deps.clock.now()).toISOString(),
    event: "uninstalled",
    name,
    hash: gone.hash,
    forced: force,
  });
  await (await deps.usage()).change(name, () => undefined);
  return gone;
}

export async function resetSkill(name: string, restore: boolean, deps: HubDeps): Promise<InstalledSkill> {
  await finishSwaps(deps);
  return await whileHubLocked(deps, async () => {
    const lock = readLock(deps.home);
    const entry = lock[name];
    if (entry === undefined) throw notInstalled(name, lock);
    const { changes } = toInstalled(entry, deps.home);
    const next: LockEntry = {
      ...entry,
      follows: restore ? [] : changes.filter((path) => entry.files[path] !== undefined),
    };
    await swapSkills(deps, [
      ...(restore ? [{ path: entry.path, to: filesOfDirectory(baseDir(name, deps.home)) }] : []),
      { path: LOCK_PATH, to: writeLock({ ...lock, [name]: next }) },
    ]);
    audit(deps.home, {
      at: new Date(deps.clock.now()).toISOString(),
      event: restore ? "restored" : "reset",
      name,
      files: changes,
    });
    return toInstalled(next, deps.home);
  });
}
