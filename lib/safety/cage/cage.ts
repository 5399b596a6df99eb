import { lstatSync } from "node:fs";
import type { SpawnSpec } from "../../base/process/spawn.js";
import { cageArguments, cageEnv, type Empties } from "./arguments.js";
import type { CagePlan, CageWorks } from "./types.js";

/** A way to start commands so that they can only write where the plan says. */
export interface Cage {
  readonly plan: CagePlan;
  /** A cage of another plan with the same program. */
  with(plan: CagePlan): Cage;
  /** The process that runs `spec` in the cage. Its pid is of this machine; its group is everything in the cage. */
  wrap(spec: SpawnSpec): SpawnSpec;
}

/** Descriptor through which bubblewrap gets its options: neither they nor an environment may be seen in a list of processes. */
const OPTIONS_FD = 5;

/** Environment of bubblewrap itself, which runs outside: nothing that a command has exported may load code into it. */
const CAGE_PROCESS_ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" } as const;

/** Variables by which processes of a worker are found; those around a cage have them too. */
const MARKS = ["AGENT_WORKER_MARK"] as const;

/** @param works bubblewrap as the probe found it */
export function createCage(plan: CagePlan, works: CageWorks, empties: Empties): Cage {
  const mounts = cageArguments(plan, empties);
  return {
    plan,
    with: (other) => createCage(other, works, empties),
    wrap: (spec) => ({
      ...spec,
      // bubblewrap ties itself to its owner only once its mounts are made; until then the watcher does.
      endsWithOwner: true,
      file: works.program,
      args: ["--args", String(OPTIONS_FD), "--", spec.file, ...spec.args],
      cwd: "/",
      env: cageProcessEnv(spec.env),
      feed: joinOptions([...mounts, "--clearenv", ...setVariables(spec.env, plan), "--chdir", spec.cwd]),
    }),
  };
}

/** Options as `--args` reads them. */
const joinOptions = (words: readonly string[]): string => words.map((word) => `${word}\0`).join("");

const setVariables = (env: Readonly<Record<string, string>>, plan: CagePlan): readonly string[] =>
  Object.entries(cageEnv(env, plan)).flatMap(([name, value]) => ["--setenv", name, value]);

/** Which files the mounts of a plan hold: another text once one of them was replaced. */
export const identifyHeld = ({ readOnly, hidden, masked }: CagePlan): string =>
  [...readOnly, ...hidden, ...masked].map(inodeOf).join("\0");

/** A file that was replaced is another one, which a mount of the earlier one does not hold. */
function inodeOf(path: string): string {
  try {
    const { dev, ino } = lstatSync(path);
    return `${dev}:${ino}`;
  } catch {
    return ""; // gone since the plan was made
  }
}

/** Environment of a process around a cage for commands with `env`. */
function cageProcessEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const marks = MARKS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...CAGE_PROCESS_ENV, ...Object.fromEntries(marks) };
}
