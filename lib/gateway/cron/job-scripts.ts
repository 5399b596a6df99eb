import { extname, join, relative, resolve } from "node:path";
import { AppError, toAppError } from "../../base/errors.js";
import { isPossiblePath, readFileBytes, realPath, statPath } from "../../base/fs/files.js";
import type { Spawner, SpawnSpec } from "../../base/process/spawn.js";
import { sha256 } from "../../base/text/hash.js";
import type { Clock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { Ms } from "../../base/units.js";
import type { CageChoice } from "../../safety/cage/cages.js";
import { isBelow } from "../../safety/paths/paths.js";
import type { RunningScripts } from "./orphan-scripts.js";

export interface ScriptDeps {
  /** `<home>/scripts`: nothing outside is run. */
  readonly folder: string;
  readonly spawner: Spawner;
  readonly clock: Clock;
  /** The whole environment of a script, but for the job's id. */
  readonly env: () => Readonly<Record<string, string>>;
  readonly timeoutMs: () => Ms;
  /** How a script runs that no person has chosen as it is: in a cage where there is one. Absent: without. */
  readonly cage?: (job: ScriptJob) => Promise<CageChoice | undefined>;
  /** Writes down what runs; absent: what is left of a killed process is not ended. */
  readonly running?: Pick<RunningScripts, "began" | "ended">;
}

/** The job of a script. */
export interface ScriptJob {
  readonly id: string;
  readonly script: string;
  readonly digest?: string | null | undefined;
  readonly workdir?: string | null;
}

/** What a script ended with. */
export interface ScriptEnd {
  readonly stdout: string;
  readonly stderr: string;
  /** What went wrong; undefined: it ended with exit code 0. */
  readonly failed: string | undefined;
}

const OUTPUT_BYTES = 1 << 20;
const GRACE: Ms = 2000;
const EXECUTABLE = 0o111;

/** A script by its path below the folder, links followed. @throws E_INVALID it is not there, no file, or lies elsewhere */
export async function findScript(
  folder: string,
  given: string,
): Promise<{ readonly path: string; readonly name: string }> {
  const hint = `scripts are in ${folder}; use a path relative to it`;
  const refuse = (why: string) =>
    new AppError("E_INVALID", `the script ${JSON.stringify(given)} ${why}`, { script: given, hint });
  if (!isPossiblePath(given)) throw refuse("is not a valid file name");
  const root = await realPath(folder);
  const wanted = resolve(folder, given);
  const path = await realPath(wanted);
  const above = root === undefined ? folder : root;
  if (path === undefined) throw refuse(isBelow(wanted, folder) ? "does not exist" : "is outside the scripts directory");
  if (!isBelow(path, above)) throw refuse("is outside the scripts directory");
  const facts = await statPath(path);
  if (facts?.kind !== "file") throw refuse("is not a file");
  if (interpreterOf(path) === undefined && (facts.mode & EXECUTABLE) === 0) throw refuse("is not executable");
  return { path, name: relative(folder, join(folder, relative(above, path))) };
}

/** SHA-256 of a script: what a person chose acts for that person only while it is the same. */
export const digestOfScript = async (path: string): Promise<string> =>
  sha256((await readFileBytes(path))?.toString("latin1") ?? "");

/** Run a script to its end. Never rejects for a reason of the script. */
export async function runScript(deps: ScriptDeps, job: ScriptJob, signal: AbortSignal): Promise<ScriptEnd> {
  const { spawner, clock } = deps;
  const { path } = await findScript(deps.folder, job.script);
  const [file = path, ...args] = [...(interpreterOf(path) ?? []), path];
  const out = { stdout: bounded(), stderr: bounded() };
  let late = false;
  try {
    const spec: SpawnSpec = {
      file,
      args,
      cwd: resolve(path, ".."),
      env: { ...deps.env(), AGENT_CRON_JOB_ID: job.id },
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      endsWithOwner: true,
    };
    const chosen = job.digest ? (await digestOfScript(path)) === job.digest : false;
    const child = await spawner.spawn(chosen ? { ...spec, forPerson: true } : await cageScript(deps, job, spec));
    child.onOutput((chunk, stream) => out[stream].add(chunk)); // before anything is waited for: what was said meanwhile would be lost
    await deps.running?.began(job.id, child.id);
    const end = () => {
      spawner.endGroup(child.pid, GRACE).catch(() => false);
    };
    const timeout = deps.timeoutMs();
    const cancel = clock.after(timeout, () => {
      late = true;
      end();
    });
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    const exit = await child.exited;
    await settlesWithin(clock, GRACE, child.closed);
    cancel();
    signal.removeEventListener("abort", end);
    await deps.running?.ended(job.id);
    const how = exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
    const failed = late ? `timed out after ${timeout / 1000} s` : exit.code === 0 ? undefined : how;
    return { stdout: out.stdout.text(), stderr: out.stderr.text(), failed };
  } catch (error) {
    return { stdout: "", stderr: "", failed: toAppError(error).message };
  }
}

/** A model may have written or changed it: it runs in the cage. @throws E_STATE none works, and one is required */
async function cageScript({ cage }: ScriptDeps, job: ScriptJob, spec: SpawnSpec): Promise<SpawnSpec> {
  const choice = await cage?.(job);
  if (choice?.how === "refused") throw new AppError("E_STATE", choice.message);
  return choice?.how === "caged" ? choice.cage.wrap(spec) : spec;
}

/** What a script says to an agent: its words, and whether there is anything to do. */
export function readWake(stdout: string): { readonly wakes: boolean; readonly context: string } {
  const lines = stdout.trimEnd().split("\n");
  const last = lines.at(-1)?.trim() ?? "";
  const said = jsonOf(last);
  if (said === undefined || typeof said["wakeAgent"] !== "boolean") return { wakes: true, context: stdout.trim() };
  return { wakes: said["wakeAgent"], context: stdout.trim() };
}

function jsonOf(line: string): Record<string, unknown> | undefined {
  if (!line.startsWith("{")) return undefined;
  try {
    return JSON.parse(line);
  } catch {
    return undefined; // a line that only looks like JSON is text
  }
}

function interpreterOf(path: string): readonly string[] | undefined {
  const by: Readonly<Record<string, readonly string[]>> = {
    ".sh": ["bash"],
    ".bash": ["bash"],
    ".py": ["python3"],
    ".js": [process.execPath],
    ".mjs": [process.execPath],
  };
  return by[extname(path).toLowerCase()];
}

function bounded() {
  const chunks: Buffer[] = [];
  let size = 0;
  return {
    add: (chunk: Buffer) => {
      const room = OUTPUT_BYTES - size;
      if (room <= 0) return;
      chunks.push(chunk.subarray(0, room));
      size += Math.min(room, chunk.length);
    },
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
