import { AppError, toAppError } from "../../base/errors.js";
import { isLockHeld } from "../../base/process/file-lock.js";
import type { CuratorApi } from "../../contracts/skills/curator.js";
import { applyChanges, undoChanges } from "./apply-run.js";
import { archivedSkills, archiveSkill, pruneSkills, restoreSkill } from "./archive.js";
import { backUpSkills, rollBackSkills } from "./back-up.js";
import { listBackups } from "./backup.js";
import type { CuratorChangeDeps } from "./changes.js";
import type { CuratorDeps } from "./curator-deps.js";
import { type CuratorParts, finishKilledRollback, LOCK_WAIT_MS, whileCurating } from "./exclusive.js";
import { placesOf } from "./places.js";
import { readRun } from "./report.js";
import { runCurator, runWhenDue } from "./run-curator.js";
import { createStateFile } from "./state.js";
import { statusOf, takeSummary } from "./status.js";

/** The curator of a home, and what ends the run that it works on in the background. */
export interface Curator {
  readonly api: CuratorApi;
  stop(): Promise<void>;
}

export function createCurator(deps: CuratorDeps): Curator {
  const places = placesOf(deps.home);
  const parts: CuratorParts = { deps, places, state: createStateFile(places.state, deps) };
  const background = createBackground(parts);
  const locked = <T>(work: (changing: CuratorChangeDeps) => Promise<T>) => whileCurating(parts, LOCK_WAIT_MS, work);
  const api: CuratorApi = {
    status: () => statusOf(parts),
    run: (wanted, signal) => whileCurating(parts, 0, (changing) => runCurator(parts, changing, wanted, signal)),
    runWhenDue: (idle, signal) => runWhenDue(parts, api, idle, signal),
    runInBackground: background.run,
    pause: (paused) => parts.state.change(() => ({ paused })),
    pin: async (name, pinned) => {
      const { name: found } = await deps.catalog.find(name, { env: {} });
      await (await deps.usage()).change(found, (before) => ({ ...before, pinned }));
    },
    archived: () => archivedSkills(parts),
    archive: (name) => locked((changing) => archiveSkill(parts, changing, name)),
    restore: (name) => locked((changing) => restoreSkill(parts, changing, name)),
    prune: (days, dryRun) => locked((changing) => pruneSkills(parts, changing, { days, dryRun })),
    backup: (reason) => locked(() => backUpSkills(parts, reason)),
    backups: async () => listBackups(places),
    rollback: (id) => locked(() => rollBackSkills(parts, id)),
    finishRollback: () => finishKilledRollback(parts),
    show: async (id) => readRun(places, id),
    apply: (id, n) => locked((changing) => applyChanges(parts, changing, { id, n })),
    undo: (id, n) => locked((changing) => undoChanges(parts, changing, { id, n })),
    takeSummary: () => takeSummary(parts),
  };
  return { api, stop: background.stop };
}

/** A run that its caller does not wait for. */
function createBackground({ deps, places, state }: CuratorParts) {
  const parts: CuratorParts = { deps, places, state };
  const stopping = new AbortController();
  let running: Promise<unknown> = Promise.resolve();
  return {
    run: async ({ dryRun }: { readonly dryRun: boolean }) => {
      if (deps.startProgram !== undefined)
        return deps.startProgram(["curator", "run", ...(dryRun ? ["--dry-run"] : [])]);
      if (isLockHeld(places.lock, deps))
        throw new AppError("E_BUSY", "the curator is at work already", { hint: "agent curator status shows it" });
      running = whileCurating(parts, 0, (changing) =>
        runCurator(parts, changing, { dryRun, cause: "manual" }, stopping.signal),
      ).catch((error: unknown) => deps.log.error("curator run failed", { error: toAppError(error).message }));
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
