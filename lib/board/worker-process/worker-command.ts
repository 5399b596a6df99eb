import type { Task } from "../../contracts/board/board.js";
import type { WorkerProfile } from "./worker-profile.js";

export interface WorkerCommand {
  readonly args: readonly string[];
  /** Skills of the task that do not resolve for the profile. The worker starts without them. */
  readonly missingSkills: readonly string[];
}

/** Toolsets that would ask or write to a person; a worker does not have one. */
const NEVER = new Set(["clarify", "messaging"]);

/** Arguments of a worker (board part, 7.1). `orchestrator`: the profile is the resolved orchestrator. */
export async function workerCommand(task: Task, profile: WorkerProfile, orchestrator: boolean): Promise<WorkerCommand> {
  const own = ["kanban-worker", ...(orchestrator ? ["kanban-orchestrator"] : [])];
  const bundled = await thoseThere(own, profile);
  const wanted = task.skills.filter((name) => !bundled.includes(name));
  const found = await thoseThere(wanted, profile);
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
    missingSkills: wanted.filter((name) => !found.includes(name)),
  };
}

async function thoseThere(names: readonly string[], profile: WorkerProfile): Promise<readonly string[]> {
  const found: string[] = [];
  for (const name of names) if (await profile.hasSkill(name)) found.push(name);
  return found;
}

function toolsetsOf(profile: WorkerProfile): string[] {
  const own = profile.toolsets.length > 0 ? profile.toolsets : ["agent-cli"];
  return [...new Set([...own.filter((name) => !NEVER.has(name)), "kanban"])];
}
