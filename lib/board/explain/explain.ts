import type { ExplainApi } from "../../proto/board-explain.js";
import type { Core } from "../core.js";
import { diagnostics } from "./diagnostics/diagnose.js";
import { doctor } from "./doctor/doctor.js";
import { next } from "./next.js";
import { why } from "./why.js";

/** The verbs that explain the board. */
export function explaining(core: Core): ExplainApi {
  return {
    why: (board, id) => why(core, board, id),
    diagnostics: (board, filter) => diagnostics(core, board, filter),
    doctor: (board, options) => doctor(core, board, options),
    next: (board, options) => next(core, board, options),
  };
}
