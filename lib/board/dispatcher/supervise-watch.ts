import type { Child, ProcessId } from "../../base/process/spawn.js";
import type { BoardSlug, Ms, RunId, TaskId } from "../../base/units.js";
import type { RunProcesses, StopDeps } from "../worker-process/stop.js";

/** How often a process that is not a child of this one is looked at: the system does not report its end. */
const LOOK_EVERY: Ms = 250;

/** The processes of one run. They are watched until none of them lives, which may be longer than the run. */
export interface Watched extends RunProcesses {
  readonly board: BoardSlug;
  readonly task: TaskId;
  readonly run: RunId;
  readonly leader: ProcessId;
}

export interface LeaderWatch {
  /** Calls `onGone` once when the leader has ended. With `child` at once, without it within a quarter of a second. */
  add(one: Watched, child?: Child): void;
  /** The run is closed: call `late` if its leader still lives after `within`. Harmless twice. */
  leave(one: Watched, within: Ms, late: () => void): void;
  remove(run: Watched): void;
  find(board: BoardSlug, run: RunId): Watched | undefined;
  all(): readonly Watched[];
  /** No timer is left, and no further end is reported. */
  clear(): void;
}

interface Entry {
  readonly watched: Watched;
  readonly cancels: (() => void)[];
  leaving: boolean;
}

/** Watches leaders of worker groups. */
export function createLeaderWatch(deps: StopDeps, onGone: (one: Watched) => void): LeaderWatch {
  const entries = new Map<string, Entry>();
  const keyOf = (one: Pick<Watched, "board" | "run">) => `${one.board}/${one.run}`;
  const gone = (entry: Entry) => {
    if (entries.get(keyOf(entry.watched)) === entry) onGone(entry.watched);
  };
  return {
    add: (watched, child) => {
      if (entries.has(keyOf(watched))) return;
      const entry: Entry = { watched, cancels: [], leaving: false };
      entries.set(keyOf(watched), entry);
      if (child) whenExited(child, () => gone(entry));
      else look(deps, entry, () => gone(entry));
    },
    leave: (watched, within, late) => {
      const entry = entries.get(keyOf(watched));
      if (!entry || entry.leaving) return;
      entry.leaving = true;
      entry.cancels.push(deps.clock.after(within, late));
    },
    remove: (watched) => {
      const entry = entries.get(keyOf(watched));
      entries.delete(keyOf(watched));
      for (const cancel of entry?.cancels ?? []) cancel();
    },
    find: (board, run) => entries.get(`${board}/${run}`)?.watched,
    all: () => [...entries.values()].map((entry) => entry.watched),
    clear: () => {
      for (const entry of entries.values()) for (const cancel of entry.cancels) cancel();
      entries.clear();
    },
  };
}

function whenExited(child: Child, then: () => void): void {
  const wait = async () => {
    await child.exited;
    then();
  };
  wait().catch(rethrow);
}

function look(deps: StopDeps, entry: Entry, then: () => void): void {
  if (!deps.spawner.alive(entry.watched.leader)) then();
  else
    entry.cancels.splice(
      0,
      1,
      deps.clock.after(LOOK_EVERY, () => look(deps, entry, then)),
    );
}

/** Neither waiting for an exit nor reporting it fails; if it does, half of the supervision is gone and the owner has to start again. */
function rethrow(error: unknown): void {
  queueMicrotask(() => {
    throw error;
  });
}
