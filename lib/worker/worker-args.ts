import { AppError } from "../base/errors.js";

/** Command line of a worker (board part, 7.1). */
export interface WorkerArgs {
  readonly task: string;
  readonly profile: string;
  readonly model: string | undefined;
  readonly toolsets: readonly string[];
  readonly skills: readonly string[];
}

/** @throws E_USAGE for anything that the dispatcher does not write */
export function parseWorkerArgs(argv: readonly string[]): WorkerArgs {
  const words = [...argv];
  const found = {
    task: "",
    profile: "default",
    model: undefined as string | undefined,
    toolsets: [] as string[],
    skills: [] as string[],
  };
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    if (word === "--accept-hooks") continue;
    const value = words.shift();
    if (value === undefined) throw new AppError("E_USAGE", `worker: ${word} requires a value`);
    if (word === "-p" || word === "--profile") found.profile = value;
    else if (word === "-m" || word === "--model") found.model = value;
    else if (word === "--skills") found.skills.push(value);
    else if (word === "--toolsets" || word === "-t") found.toolsets = value.split(",").filter((name) => name !== "");
    else if (word === "worker") found.task = value;
    else throw new AppError("E_USAGE", `worker: unknown option ${word}`);
  }
  if (found.task === "") throw new AppError("E_USAGE", "worker: missing task");
  return found;
}
