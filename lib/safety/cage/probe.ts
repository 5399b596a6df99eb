import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { programOnPath } from "../../base/process/program-path.js";
import type { Child, Spawner } from "../../base/process/spawn.js";
import type { Empties } from "./arguments.js";
import { createCage } from "./cage.js";
import { findInstallCommand, findRefusalRemedy } from "./remedy.js";
import type { CagePlan, CageStatus, NoCage } from "./types.js";

export interface ProbeOptions {
  readonly spawner: Spawner;
  /** Environment of this process: `bwrap` is looked for on its PATH. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Private directory in which the probe may write. */
  readonly dir: string;
  readonly empties: Empties;
}

/** Arguments: writable directory, a file that is hidden, a file outside, the pid namespace of this process. */
const TRIAL = [
  'true >"$1/written" || { echo "the project cannot be written"; exit 1; }',
  '[ ! -s "$2" ] || { echo "a secret can be read"; exit 1; }',
  '{ true >"$3"; } 2>/dev/null && { echo "a file outside can be written"; exit 1; }',
  '[ "$(readlink /proc/self/ns/pid)" != "$4" ] || { echo "processes outside can be seen"; exit 1; }',
  "echo caged",
].join("\n");

/** Try whether commands can be caged: a write, a hidden file and the view of processes, in a cage of its own. */
export async function probeCage(options: ProbeOptions): Promise<CageStatus> {
  if (process.platform !== "linux") return { on: false, kind: "missing", why: "the cage needs Linux", remedy: "" };
  const program = programOnPath("bwrap", options.env["PATH"]);
  if (program === undefined)
    return { on: false, kind: "missing", why: "bubblewrap (bwrap) is not installed", remedy: findInstallCommand() };
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  const dir = mkdtempSync(join(options.dir, "probe-"));
  try {
    const said = await runTrial(program, dir, options);
    return said === "caged" ? { on: true, program } : refused(said);
  } catch (error) {
    return refused(String(error));
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function runTrial(program: string, dir: string, { spawner, empties }: ProbeOptions): Promise<string> {
  const project = join(dir, "project");
  const tmp = join(dir, "tmp");
  const secret = join(dir, "secret");
  const outside = join(dir, "outside");
  for (const made of [project, tmp]) mkdirSync(made, { mode: 0o700 });
  for (const file of [secret, outside]) writeFileSync(file, "x", { mode: 0o600 });
  const plan: CagePlan = {
    project,
    writable: [project],
    readOnly: [],
    hidden: [secret],
    secret: [],
    made: [],
    masked: [],
    shown: [dir],
    tmp,
    network: "host",
  };
  const args = ["-c", TRIAL, "sh", project, secret, outside, readlinkSync("/proc/self/ns/pid")];
  const cage = createCage(plan, { on: true, program }, empties);
  const child = await spawner.spawn(
    cage.wrap({ file: "sh", args, cwd: "/", env: { PATH: "/usr/bin:/bin" }, stderr: "stdout" }),
  );
  return (await outputOf(child)).trim();
}

async function outputOf(child: Child): Promise<string> {
  const chunks: Buffer[] = [];
  child.onOutput((chunk) => chunks.push(chunk));
  await child.closed;
  return Buffer.concat(chunks).toString();
}

function refused(said: string): NoCage {
  const why = `bubblewrap cannot make a cage here: ${said.split("\n")[0] || "it said nothing"}`;
  return { on: false, kind: "refused", why, remedy: findRefusalRemedy() };
}

/** What a client says that the cage keeps from running. */
const REFUSAL = `#!/bin/sh
echo "\${0##*/}: it acts outside the project, so the cage keeps scripts and programs from starting it. Run it by a command line that names it, or \
call again with outside: true and a reason." >&2
exit 126
`;

/** Make what stands in for what is hidden, and for programs that may not be started. */
export function makeEmpties(dir: string): Empties {
  const empties = { dir: join(dir, "empty"), file: join(dir, "nothing"), refusal: join(dir, "refusal") };
  mkdirSync(empties.dir, { recursive: true, mode: 0o700 });
  // One that an earlier process made can be opened for writing by root alone.
  if (!existsSync(empties.file)) writeFileSync(empties.file, "", { flag: "a", mode: 0o600 });
  // Another process of this home may make it at the same time.
  if (!existsSync(empties.refusal) || readFileSync(empties.refusal, "utf8") !== REFUSAL) {
    const made = `${empties.refusal}.${process.pid}`;
    writeFileSync(made, REFUSAL, { mode: 0o700 });
    chmodSync(made, 0o555);
    renameSync(made, empties.refusal);
  }
  chmodSync(empties.dir, 0o500);
  chmodSync(empties.file, 0o400);
  return empties;
}
