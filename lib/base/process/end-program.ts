import type { Clock } from "../time/clock.js";
import { settlesWithin } from "../time/settles-within.js";
import type { Ms } from "../units.js";
import type { Child, ProcessId, Spawner } from "./spawn.js";

/** Extensions part, 8.2. */
const CLOSED_INPUT_MS: Ms = 3_000;
const TERM_MS: Ms = 2_000;

export interface Ending {
  readonly child: Child;
  readonly spawner: Spawner;
  readonly clock: Clock;
}

/** End an agent program: its input is closed, then its group is ended, then what it started outside of its group. */
export async function endProgram({ child, spawner, clock }: Ending): Promise<void> {
  // Once it has ended, nothing tells what it started.
  const below = spawner.descendants(child.pid);
  child.closeInput();
  await settlesWithin(clock, CLOSED_INPUT_MS, child.exited);
  await endWithBelow(spawner, child.pid, TERM_MS, below);
}

/** End the group of a program and everything below it: agents run commands in sessions of their own. `known`: what was below it before. */
export async function endWithBelow(
  spawner: Spawner,
  pid: number,
  grace: Ms = TERM_MS,
  known: readonly ProcessId[] = [],
): Promise<void> {
  const below = [...known, ...spawner.descendants(pid)];
  await spawner.endGroup(pid, grace);
  for (const id of below) if (spawner.alive(id)) spawner.signal({ pid: id.pid }, "SIGKILL");
}
