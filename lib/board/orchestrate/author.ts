import type { Actor } from "../../contracts/board/board.js";
import type { OrchestrateParams } from "../../contracts/board/orchestration.js";

/** Who signs: the name given, else the profile of the session that asks, else the name of the job. */
export function authorOf(params: OrchestrateParams, by: Actor, job: string): string {
  const given = params.author?.trim();
  if (given) return given;
  return by.kind === "agent" ? by.name : job;
}
