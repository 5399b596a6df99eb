import { faultPoint } from "../../base/fault.js";
import type { ProcessId, Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** Name of the variable by which descendants that left the group are found. */
export const MARK = "AGENT_WORKER_MARK";

/** How long after SIGKILL the last member may take to go (board part, 7.8). */
const KILLED_WITHIN: Ms = 10_000;
/** First and longest pause between two looks at processes that are ending. */
const FIRST_LOOK: Ms = 2;
const LONGEST_LOOK: Ms = 100;

export interface StopDeps {
  readonly spawner: Spawner;
  readonly clock: Clock;
}

/** The processes of one run. */
export interface RunProcesses {
  readonly leader: ProcessId;
  /** Mark of the run; undefined for an outside worker, of which only the named process is signalled. */
  readonly mark: string | undefined;
}

export interface StopOutcome {
  /** Nothing of the group, or for an outside worker of the process, lives. */
  readonly gone: boolean;
  readonly attempted: boolean;
  readonly sigkill: boolean;
}

/** Processes that are ended together. */
interface Quarry {
  living(): readonly number[];
  signal(name: "SIGTERM" | "SIGKILL"): void;
}

/**
 * End the processes of a run: SIGTERM to the group, `grace`, SIGKILL, and the same for marked descendants that left it (board part, 7.8).
 * A process that is not the run's is never signalled: the group counts as the run's while its leader lives or a member carries the mark.
 */
export async function endProcesses(deps: StopDeps, target: RunProcesses, grace: Ms): Promise<StopOutcome> {
  // Noted while the tree is whole: a process that leaves the group, and the mark with it, is found below its leader now and nowhere later.
  const below =
    target.mark !== undefined && deps.spawner.alive(target.leader) ? deps.spawner.descendants(target.leader.pid) : [];
  const group = await end(deps, quarryOf(deps, target), grace);
  if (!group.gone || target.mark === undefined) return group;
  const left = await end(deps, leftOf(deps, target.mark, below), grace);
  return { gone: true, attempted: group.attempted || left.attempted, sigkill: group.sigkill || left.sigkill };
}

/** Something of the run still lives: its group, or descendants that left it. */
export function anythingLives(deps: StopDeps, target: RunProcesses): boolean {
  if (deps.spawner.alive(target.leader)) return true;
  if (quarryOf(deps, target).living().length > 0) return true;
  return target.mark !== undefined && deps.spawner.marked(MARK, target.mark).length > 0;
}

function quarryOf(deps: StopDeps, target: RunProcesses): Quarry {
  const { spawner } = deps;
  const { leader, mark } = target;
  if (mark === undefined) {
    return {
      living: () => (spawner.alive(leader) ? [leader.pid] : []),
      signal: (name) => {
        spawner.signal({ pid: leader.pid }, name);
      },
    };
  }
  return {
    living: () => groupOf(spawner, leader, mark),
    signal: (name) => {
      spawner.signal({ group: leader.pid }, name);
    },
  };
}

/** Members of the run's group. A group number that others use by now has neither this leader nor a member with the mark. */
function groupOf(spawner: Spawner, leader: ProcessId, mark: string): readonly number[] {
  if (leader.boot !== spawner.boot) return [];
  const members = spawner.members(leader.pid);
  if (members.length === 0 || spawner.alive(leader)) return members;
  if (spawner.identify(leader.pid) !== undefined) return [];
  const ours = new Set(spawner.marked(MARK, mark));
  return members.some((pid) => ours.has(pid)) ? members : [];
}

function leftOf({ spawner }: StopDeps, mark: string, below: readonly ProcessId[]): Quarry {
  const living = () => [
    ...new Set([...spawner.marked(MARK, mark), ...below.filter((id) => spawner.alive(id)).map(({ pid }) => pid)]),
  ];
  return {
    living,
    signal: (name) => {
      for (const pid of living()) spawner.signal({ pid }, name);
    },
  };
}

async function end(deps: StopDeps, quarry: Quarry, grace: Ms): Promise<StopOutcome> {
  if (quarry.living().length === 0) return { gone: true, attempted: false, sigkill: false };
  quarry.signal("SIGTERM");
  faultPoint("stop.termed");
  if (await gone(deps.clock, quarry, grace)) return { gone: true, attempted: true, sigkill: false };
  quarry.signal("SIGKILL");
  faultPoint("stop.killed");
  return { gone: await gone(deps.clock, quarry, KILLED_WITHIN), attempted: true, sigkill: true };
}

/** Looks after 2, 4, 8 ... ms: the system does not report the end of a process that is not a child. */
async function gone(clock: Clock, quarry: Quarry, within: Ms): Promise<boolean> {
  const until = clock.mono() + within;
  for (let pause = FIRST_LOOK; ; pause = Math.min(pause * 2, LONGEST_LOOK)) {
    if (quarry.living().length === 0) return true;
    const left = until - clock.mono();
    if (left <= 0) return false;
    await clock.sleep(Math.min(pause, left));
  }
}
