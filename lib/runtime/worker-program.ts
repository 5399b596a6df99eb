import { isAbsolute } from "node:path";
import { isProgram, programOnPath } from "../base/process/program-path.js";
import type { Config } from "../contracts/config/config.js";
import { APP_SERVER_COMMAND, WORKER_COMMAND, WORKER_PROGRAM } from "../contracts/runtimes/keys.js";

/** Which program works the board tasks of a profile. Only its settings say so; neither a task nor a model does. */
export interface WorkerProgram {
  /** `native` (the loop of this product), or the id of a runtime. */
  readonly id: string;
  /** Why it cannot be started; absent: it can. */
  readonly problem?: string;
}

/**
 * Read the settings of a profile, and look for its program on disk. Starts nothing.
 *
 * @param path PATH of the worker
 */
export function readWorkerProgram(config: Config, path: string | undefined): WorkerProgram {
  const id = config.get(WORKER_PROGRAM);
  const written = config.raw(WORKER_PROGRAM.key) ?? undefined;
  // A program that is misspelled must not become another one.
  if (written !== undefined && written !== id)
    return { id, problem: `worker.program must be native, app-server or acp, not ${JSON.stringify(written)}` };
  if (id === "native") return { id };
  const [file = ""] = id === "acp" ? config.get(WORKER_COMMAND) : [config.get(APP_SERVER_COMMAND)];
  const problem = file === "" ? "but worker.command is empty" : problemOf(file, path);
  return problem === undefined ? { id } : { id, problem: `worker.program is ${id}, ${problem}` };
}

function problemOf(file: string, path: string | undefined): string | undefined {
  if (isAbsolute(file)) return isProgram(file) ? undefined : `but ${file} is not a program that you may run`;
  if (file.includes("/")) return `but ${file} is neither a name on PATH nor an absolute path`;
  return programOnPath(file, path) === undefined ? `but ${file} is not on PATH` : undefined;
}
