import { join } from "node:path";
import type { SkillHubApi } from "../../contracts/skills/hub.js";
import { finishSwaps, swapSkills } from "../files/swap.js";
import { checkSkillFiles, filesOfDirectory } from "./collect.js";
import type { HubDeps } from "./hub-deps.js";
import { auditSkill, renewedEntry, toInstalled, whileHubLocked, withoutBits } from "./installed.js";
import { LOCK_PATH, readLock, writeLock } from "./lock.js";
import { fetchAgain } from "./prepare.js";

/** Official skills whose files are missing or differ get the bytes of the product's release back. */
export async function repairOfficial(deps: HubDeps): ReturnType<SkillHubApi["repairOfficial"]> {
  await finishSwaps(deps);
  return await whileHubLocked(deps, async () => {
    const repaired: { readonly name: string; readonly files: readonly string[] }[] = [];
    for (const entry of Object.values(readLock(deps.home))) {
      if (entry.source !== "official") continue;
      const { state, changes } = toInstalled(entry, deps.home);
      if (state === "unchanged") continue;
      const { preview, files } = await fetchAgain(entry, deps, undefined);
      const dir = join(deps.home.dir, "skills", entry.path);
      const mine = state === "missing" ? [] : filesOfDirectory(dir);
      const fresh = new Map(withoutBits(files).map((file) => [file.path, file]));
      for (const file of mine) {
        const shipped = fresh.get(file.path);
        if (shipped === undefined) fresh.set(file.path, file);
        else if (Buffer.compare(shipped.bytes, file.bytes) !== 0)
          fresh.set(`${file.path}.orig`, { ...file, path: `${file.path}.orig` });
      }
      const now = deps.clock.now();
      const next = renewedEntry(entry, { preview, files }, now);
      await swapSkills(deps, [
        { path: entry.path, to: checkSkillFiles([...fresh.values()]) },
        { path: `.hub/base/${entry.name}`, to: withoutBits(files) },
        { path: LOCK_PATH, to: writeLock({ ...readLock(deps.home), [entry.name]: next }) },
      ]);
      auditSkill("repaired", preview, deps);
      repaired.push({ name: entry.name, files: state === "missing" ? ["all files"] : changes });
    }
    return repaired;
  });
}
