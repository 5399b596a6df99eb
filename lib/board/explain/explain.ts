import type { ExplainApi } from "../../proto/board-explain.js";
import type { Core } from "../core.js";
import { assignees } from "./assignees.js";
import { card } from "./cards/card.js";
import { view } from "./cards/view.js";
import { diagnostics } from "./diagnostics/diagnose.js";
import { doctor } from "./doctor/doctor.js";
import { next } from "./next.js";
import { why } from "./why.js";

/** The verbs that explain the board. */
export function explaining(core: Core): ExplainApi {
  return {
    why: (board, id) => why(core, board, id),
    assignees: (board) => assignees(core, board),
    card: (board, id) => card(core, board, id),
    view: (board, filter) => view(core, board, filter),
    diagnostics: (board, filter) => diagnostics(core, board, filter),
    doctor: (board, options) => doctor(core, board, options),
    next: (board, options) => next(core, board, options),
  };
}
