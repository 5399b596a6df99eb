import { join } from "node:path";
import type { TurnFiles } from "../contracts/chat/turn-files.js";
import type { CheckpointApi, CheckpointTaker } from "../contracts/owner/checkpoints.js";
import { choose } from "./choose.js";
import { CHECKPOINTS } from "./keys.js";
import { listCheckpointEntries, listRows, readCheckpointStatus } from "./look.js";
import { legacyIn, openParts } from "./open.js";
import { type CheckpointDeps, type CheckpointParts, nowOf } from "./parts.js";
import { projectDirectory } from "./place.js";
import { relativeFile } from "./plan.js";
import { clear, limitStore, pruneCheckpoints } from "./prune.js";
import { toRecord } from "./records.js";
import { diffTo, rollBack } from "./rollback.js";
import { isKept, record, takeCheckpoint, toTooLargeError } from "./take.js";
import { tellRestored } from "./tell.js";
import { redoFiles, undoable, undoFiles } from "./undo.js";

export interface Checkpoints extends CheckpointApi, CheckpointTaker {
  /** Files of turns for `/undo` and `/redo`. */
  readonly turnFiles: TurnFiles;
  /** Clear away by itself what is old, when that is wanted and due (core part, 24.3). */
  autoPrune(): Promise<void>;
  /** Resolves when nothing is under way. */
  idle(): Promise<void>;
}

/** The checkpoints of a home. The store is opened when it is first used. */
export function createCheckpoints(deps: CheckpointDeps): Checkpoints {
  let opened: CheckpointParts | undefined;
  const open = (): CheckpointParts => {
    opened ??= openParts(deps);
    return opened;
  };
  let cleared = deps.readonly;
  /** One piece of work at a time: what it reads does not change meanwhile. Behind the first one comes what is due to be cleared away. */
  const work = <T>(act: (parts: CheckpointParts) => Promise<T>): Promise<T> => {
    const parts = open();
    const mine = parts.mailbox.post(() => act(parts));
    if (!cleared) {
      cleared = true;
      parts.mailbox
        .post(() => autoPrune(parts))
        .catch((error: unknown) => deps.log.warning("failed to remove old checkpoints", { error: String(error) }));
    }
    return mine;
  };
  return {
    ...looking(work, open),
    ...changing(work),
    turnFiles: undoing(work),
    take: (input, signal) => work((parts) => takeCheckpoint(parts, input, signal)),
    release: async (directory, turn) => {
      opened?.running.get(directory)?.delete(turn);
      for (const key of [...(opened?.rounds.keys() ?? [])]) if (key.startsWith(`${turn} `)) opened?.rounds.delete(key);
    },
    directoryOf: async (path, env, within) => projectDirectory(path, env, within),
    autoPrune: () => work(autoPrune),
    idle: async () => opened?.mailbox.idle(),
  };
}

type Work = <T>(act: (parts: CheckpointParts) => Promise<T>) => Promise<T>;

function looking(work: Work, open: () => CheckpointParts) {
  return {
    status: async () => readCheckpointStatus(open()),
    list: (filter) => work((parts) => listRows(parts, filter)),
    find: async (which, directory) => {
      const { project, header } = choose(open().store, which, directory);
      return toRecord(header, project.record.directory);
    },
    show: (which, directory) =>
      work(async (parts) => {
        const chosen = choose(parts.store, which, directory);
        return {
          checkpoint: toRecord(chosen.header, chosen.project.record.directory),
          entries: await listCheckpointEntries(parts, chosen),
        };
      }),
    diff: ({ which, directory, file }) =>
      work(async (parts) => {
        const { project, header } = choose(parts.store, which, directory);
        return diffTo(parts, project, header, { file: file === undefined ? undefined : relativeFile(file) });
      }),
  } satisfies Partial<CheckpointApi>;
}

function changing(work: Work) {
  return {
    restore: ({ which, directory, file, force = false, session }) =>
      work(async (parts) => {
        const { project, header } = choose(parts.store, which, directory);
        const only = file === undefined ? undefined : relativeFile(file);
        const origin = { lineage: null, session: session ?? null };
        const report = await rollBack(parts, { project, header, force, file: only, origin });
        await tellRestored(parts, [report], session);
        return report;
      }),
    make: (directory, note, session) =>
      work(async (parts) => {
        const reason = note === "" ? "manual" : `manual: ${note}`;
        const use = {
          kind: "hand",
          reason,
          lineage: null,
          session: session ?? null,
          turn: null,
          round: 0,
          at: nowOf(parts),
        } as const;
        const made = await record(parts, { directory, named: [], use });
        if (!isKept(made)) throw toTooLargeError(directory);
        await limitStore(parts, made.project, true);
        return { checkpoint: toRecord(made.header, directory), made: made.made };
      }),
    prune: (limits) =>
      work((parts) => {
        const { config } = parts.deps;
        return pruneCheckpoints(parts, {
          retentionDays: limits.retentionDays ?? config.get(CHECKPOINTS.retentionDays),
          maxSizeMb: limits.maxSizeMb ?? config.get(CHECKPOINTS.maxTotalSize),
          keepOrphans: limits.keepOrphans ?? !config.get(CHECKPOINTS.deleteOrphans),
        });
      }),
    clear: () => work(clear),
    clearLegacy: () =>
      work(async ({ deps: { disk }, dir }) => {
        const all = legacyIn(disk, dir).map((name) => join(dir, name));
        for (const one of all) disk.remove(one);
        return all;
      }),
  } satisfies Partial<CheckpointApi>;
}

function undoing(work: Work) {
  return {
    changed: (lineage, turns) => work((parts) => undoable(parts, lineage, turns)),
    restore: (lineage, turns) => work((parts) => undoFiles(parts, lineage, turns)),
    again: (lineage, token) => work((parts) => redoFiles(parts, lineage, token)),
  } satisfies TurnFiles;
}

const HOUR_MS = 3_600_000;
const PRUNED = "pruned";

async function autoPrune(parts: CheckpointParts): Promise<void> {
  const { deps, store, dir } = parts;
  const { config, disk, clock, log } = deps;
  if (!config.get(CHECKPOINTS.autoPrune) || store.projects().length === 0) return;
  const mark = join(dir, "store", PRUNED);
  const last = Number(disk.readFile(mark)?.toString("utf8") ?? 0);
  if (clock.now() - last < config.get(CHECKPOINTS.minInterval) * HOUR_MS) return;
  const limits = {
    retentionDays: config.get(CHECKPOINTS.retentionDays),
    maxSizeMb: config.get(CHECKPOINTS.maxTotalSize),
    keepOrphans: !config.get(CHECKPOINTS.deleteOrphans),
  };
  const gone = await pruneCheckpoints(parts, limits);
  const file = disk.open(mark, "create");
  file.write(Buffer.from(String(clock.now())), 0);
  file.close();
  if (gone.checkpoints > 0)
    log.info("removed old checkpoints", { checkpoints: gone.checkpoints, freed: gone.freed_bytes });
}
