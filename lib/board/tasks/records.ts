import { toRun } from "../../../storage/tables/board/rows.js";
import { runById } from "../../../storage/tables/board/runs.js";
import { AppError } from "../../base/errors.js";
import type { BoardSlug, RunId } from "../../base/units.js";
import type { Run } from "../../contracts/board/board.js";
import type { BoardRecords } from "../../contracts/board/records.js";
import type { Core } from "../core/core.js";
import { attach, detach, listAttachments, readAttachment } from "./attach.js";
import { promoteHeldChildren } from "./children.js";
import { reassign } from "./reassign.js";
import { reclaim } from "./release.js";
import { remove } from "./remove.js";
import { write } from "./write.js";

/** Verbs that change records beside the life cycle of a task. */
export function recordVerbs(core: Core): BoardRecords {
  return {
    edit: (board, id, params, by) => write(core, { board, id }, params, by),
    write: (board, id, params, by) => write(core, { board, id }, params, by),
    reassign: (board, id, params, by) => reassign(core, { board, id }, params, by),
    remove: (board, id, params, by) => remove(core, { board, id }, params, by),
    promoteChildren: (board, id, params, by) => promoteHeldChildren(core, { board, id }, params, by),
    attach: (board, id, files, by) => attach(core, { board, id }, files, by),
    attachments: (board, id) => listAttachments(core, { board, id }),
    attachment: (board, id) => readAttachment(core, board, id),
    detach: (board, id, by, task) => detach(core, board, { attachment: id, task }, by),
    run: (board, id) => oneRun(core, board, id),
    endRun: async (board, run, reason, by) =>
      reclaim(core, { board, id: (await oneRun(core, board, run)).task_id, run }, reason, by),
  };
}

async function oneRun(core: Core, board: BoardSlug, id: RunId): Promise<Run> {
  const store = await core.reading(board);
  const row = await store?.read((q) => runById(q, id));
  if (row === undefined) throw new AppError("E_NOT_FOUND", `no such run: ${id}`, { run: id });
  return toRun(row);
}
