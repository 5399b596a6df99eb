import type { Task } from "../../contracts/board/board.js";
import type { WorkerProfile } from "./worker-profile.js";

export interface WorkerCommand {
  readonly args: readonly string[];
  /** Skills of the task that do not resolve for the profile. The worker starts without them. */
  readonly missingSkills: readonly string[];
}

/** Toolsets that would ask somebody or write to somebody; a worker has nobody. */
const NEVER = new Set(["clarify", "messaging"]);

/** Arguments of a worker (board part, 7.1). `orchestrator`: the profile is the resolved orchestrator. */
export function workerCommand(task: Task, profile: WorkerProfile, orchestrator: boolean): WorkerCommand {
  const bundled = ["kanban-worker", ...(orchestrator ? ["kanban-orchestrator"] : [])].filter((name) =>
    profile.hasSkill(name),
  );
  const wanted = task.skills.filter((name) => !bundled.includes(name));
  const found = wanted.filter((name) => profile.hasSkill(name));
  return {
    args: [
      "-p",
      profile.name,
      "--accept-hooks",
      ...[...bundled, ...found].flatMap((name) => ["--skills", name]),
      ...(task.model_override ? ["-m", task.model_override] : []),
      "--toolsets",
      toolsetsOf(profile).join(","),
      "worker",
      task.id,
    ],
    missingSkills: wanted.filter((name) => !profile.hasSkill(name)),
  };
}

function toolsetsOf(profile: WorkerProfile): string[] {
  const own = profile.toolsets.length > 0 ? profile.toolsets : ["agent-cli"];
  return [...new Set([...own.filter((name) => !NEVER.has(name)), "kanban"])];
}
