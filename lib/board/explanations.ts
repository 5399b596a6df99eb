import type { ExplainApi } from "../contracts/board/explain.js";
import type { Core } from "./core/core.js";
import { assignees } from "./explain/assignees.js";
import { card } from "./queries/card.js";
import { view } from "./queries/view.js";
import { diagnostics } from "./explain/diagnose.js";
import { doctor } from "./doctor/doctor.js";
import { next } from "./explain/next.js";
import { why } from "./explain/why.js";

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
