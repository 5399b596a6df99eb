import { AppError } from "../../base/errors.js";
import type { CommandContext } from "../define.js";

/** Variables that every process has which a tool of the agent started. */
const OF_TOOLS = ["AGENT_SESSION_ID", "AGENT_WORKER_MARK", "AGENT_KANBAN_TASK"] as const;

/** Who may talk, and who may post, is decided by people alone. @throws E_FORBIDDEN when the agent itself asks */
export function refuseTools({ env }: Pick<CommandContext, "env">, what = "who is paired"): void {
  if (OF_TOOLS.some((name) => env[name] !== undefined))
    throw new AppError("E_FORBIDDEN", `the agent neither reads nor changes ${what}`, {
      hint: "type it in a terminal of your own",
    });
}
