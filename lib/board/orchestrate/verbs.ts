import type { OrchestrationApi } from "../../contracts/board/orchestration.js";
import type { Planning } from "./ask.js";
import { decompose } from "./decompose.js";
import { specify } from "./specify.js";
import { swarm } from "./swarm.js";

/** The verbs by which a task is specified, split, or worked by a swarm. */
export function orchestration(planning: Planning): OrchestrationApi {
  return {
    specify: (board, id, params, by) => specify(planning, { board, id }, params, by),
    decompose: (board, id, params, by) => decompose(planning, { board, id }, params, by),
    swarm: (board, params, by) => swarm(planning.core, board, params, by),
  };
}
