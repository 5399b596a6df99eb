import type { ExplainApi } from "../contracts/board/explain.js";
import type { Core } from "./core/core.js";
import { doctor } from "./doctor/doctor.js";
import { listAssignees } from "./explain/assignees.js";
import { diagnostics } from "./explain/diagnose.js";
import { next } from "./explain/next.js";
import { explainTask } from "./explain/why.js";
import { readCard } from "./queries/card.js";
import { view } from "./queries/view.js";

/** The verbs that explain the board. */
export function explaining(core: Core): ExplainApi {
  return {
    why: (board, id) => explainTask(core, board, id),
    assignees: (board) => listAssignees(core, board),
    card: (board, id) => readCard(core, board, id),
    view: (board, filter) => view(core, board, filter),
    diagnostics: (board, filter) => diagnostics(core, board, filter),
    doctor: (board, options) => doctor(core, board, options),
    next: (board, options) => next(core, board, options),
  };
}
