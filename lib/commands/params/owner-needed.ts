import { AppError } from "../../base/errors.js";
import { findProcess } from "../../base/process/process.js";
import type { CommandContext } from "../define.js";

/** Variables of processes that a tool of the agent started, unless they are taken away. */
const OF_TOOLS = ["AGENT_SESSION_ID", "AGENT_WORKER_MARK", "AGENT_KANBAN_TASK"] as const;
/** No chain of processes is longer. */
const ANCESTORS = 64;

/** Who may talk, and who may post, is decided by people alone. @throws E_FORBIDDEN when the agent itself asks */
export function refuseTools({ env, pid }: Pick<CommandContext, "env" | "pid">, what = "pairings"): void {
  if (OF_TOOLS.some((name) => env[name] !== undefined) || (pid !== undefined && isOurs(pid)))
    throw new AppError("E_FORBIDDEN", `the agent may not read or change ${what}`, {
      hint: "run it in a terminal yourself",
    });
}

/** Whether this process, which is the owner, has begun the one that asks. */
function isOurs(pid: number): boolean {
  let at = pid;
  for (let n = 0; n < ANCESTORS && at > 1; n++) {
    const parent = findProcess(at)?.parent;
    if (parent === undefined) return false;
    if (parent === process.pid) return true;
    at = parent;
  }
  return false;
}
