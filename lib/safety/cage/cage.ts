import { lstatSync } from "node:fs";
import type { SpawnSpec } from "../../base/spawn.js";
import { cageArguments, cageEnv, type Empties } from "./arguments.js";
import type { CagePlan, CageWorks } from "./types.js";

/** A way to start commands so that they can only write where the plan says. */
export interface Cage {
  readonly plan: CagePlan;
  /** Equal for cages that show the same. */
  readonly key: string;
  /** Path of bubblewrap. */
  readonly program: string;
  /** A cage of another plan with the same program. */
  with(plan: CagePlan): Cage;
  /** The process that runs `spec` in the cage. Its pid is of this machine; its group is everything in the cage. */
  wrap(spec: SpawnSpec): SpawnSpec;
  /** Options of bubblewrap for commands with this environment, as `--args` reads them. `more`: further options. */
  options(env: Readonly<Record<string, string>>, more: readonly string[]): string;
}

/** Descriptor through which bubblewrap gets its options: neither they nor an environment may be seen in a list of processes. */
const OPTIONS_FD = 5;

/** Environment of bubblewrap itself, which runs outside: nothing that a command has exported may load code into it. */
export const CAGE_PROCESS_ENV = { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C" } as const;

/** Variables by which processes of a worker are found; those around a cage have them too. */
const MARKS = ["AGENT_WORKER_MARK"] as const;

/** @param works bubblewrap as the probe found it */
export function createCage(plan: CagePlan, works: CageWorks, empties: Empties): Cage {
  const mounts = cageArguments(plan, empties);
  const options = (env: Readonly<Record<string, string>>, more: readonly string[]) => {
    const set = Object.entries(cageEnv(env)).flatMap(([name, value]) => ["--setenv", name, value]);
    return [...mounts, "--clearenv", ...set, ...more].map((word) => `${word}\0`).join("");
  };
  return {
    plan,
    key: [...mounts, ...plan.readOnly.map(inodeOf)].join("\0"),
    program: works.program,
    options,
    with: (other) => createCage(other, works, empties),
    wrap: (spec) => ({
      ...spec,
      file: works.program,
      args: ["--args", String(OPTIONS_FD), "--", spec.file, ...spec.args],
      cwd: "/",
      env: cageProcessEnv(spec.env),
      feed: options(spec.env, ["--chdir", spec.cwd]),
    }),
  };
}

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
export function cageProcessEnv(env: Readonly<Record<string, string>>): Record<string, string> {
  const marks = MARKS.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]));
  return { ...CAGE_PROCESS_ENV, ...Object.fromEntries(marks) };
}
