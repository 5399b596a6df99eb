import type { OrchestrationApi } from "../../proto/board-orchestration.js";
import type { Core } from "../core.js";
import { decompose } from "./decompose.js";
import type { Flights } from "./flights.js";
import { specify } from "./specify.js";
import { swarm } from "./swarm.js";

/** The verbs by which a task is specified, split, or worked by a swarm. */
export function orchestration(core: Core, flights: Flights): OrchestrationApi {
  return {
    specify: (board, id, params, by) => specify({ core, flights }, { board, id }, params, by),
    decompose: (board, id, params, by) => decompose({ core, flights }, { board, id }, params, by),
    swarm: (board, params, by) => swarm(core, board, params, by),
  };
}
