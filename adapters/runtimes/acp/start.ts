import { isAbsolute } from "node:path";
import { systemCode } from "../../../lib/base/errors.js";
import { isProgram, programOnPath } from "../../../lib/base/process/program-path.js";
import type { Child } from "../../../lib/base/process/spawn.js";
import { WORKER_COMMAND } from "../../../lib/contracts/runtimes/keys.js";
import type { RuntimeParts, RuntimePlace } from "../../../lib/contracts/runtimes/runtime.js";
import { isPassed } from "../shared/environment.js";
import { failure } from "./failures.js";

const EXAMPLE = `agent config set worker.command '["codex-acp"]'`;

/** Start the program that `worker.command` names; nothing else chooses it. @throws ProgramFailure */
export async function startProgram(
  { config, spawner }: RuntimeParts,
  place: RuntimePlace,
): Promise<{ readonly name: string; readonly child: Child }> {
  const [name, ...args] = config.get(WORKER_COMMAND);
  if (name === undefined || name.trim() === "")
    throw failure("worker.command is empty: no agent program is configured", `set one, for example \`${EXAMPLE}\``);
  const env = programEnv(place.env);
  const file = isAbsolute(name) ? (isProgram(name) ? name : undefined) : programOnPath(name, env["PATH"]);
  if (file === undefined)
    throw failure(
      `${name} is not installed or not on PATH`,
      "install it, or set worker.command to its name on PATH or its absolute path",
    );
  try {
    const child = await spawner.spawn({
      file,
      args,
      cwd: place.cwd,
      env,
      forPerson: true,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
      endsWithOwner: true,
    });
    return { name: file.slice(file.lastIndexOf("/") + 1), child };
  } catch (error) {
    throw failure(`${name} cannot be started (${systemCode(error) ?? String(error)})`, "check worker.command");
  }
}

/**
 * The whole environment of an agent program (extensions part, 8.2). The variables of the callback server are not among them: they are in its
 * entry, so that commands of the program do not see them.
 */
const programEnv = (env: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(name)));
