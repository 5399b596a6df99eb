import { join } from "node:path";
import type { Tx } from "../../../storage/store.js";
import { hasEventOf } from "../../../storage/tables/board/events.js";
import { statPath } from "../../base/fs/files.js";
import { writePrivate } from "../../base/fs/workspace-files.js";
import { appendTaskEvent, type Core, type Stamp } from "../core/core.js";

const KIND = "tip_scratch_workspace";

/** The mark that the tip was shown; all boards of an installation share it. */
const toldPath = (core: Core) => join(core.home.root, "kanban", ".told-scratch");

/** The tip about files of scratch tasks was not shown yet. Marks it as shown: a tip that is lost in a crash is not worth a second one. */
export async function tipIsDue(core: Core): Promise<boolean> {
  if ((await statPath(toldPath(core))) !== undefined) return false;
  await writePrivate(toldPath(core), "");
  return true;
}

/** Event tip_scratch_workspace, once on a board whatever became of the file. */
export async function tellTip(tx: Tx, stamp: Stamp, at: { task: string; run: number; path: string }): Promise<void> {
  if (await hasEventOf(tx, KIND)) return;
  const message =
    `This task works in a scratch directory, ${at.path}. Its files stay after completion; gc removes them some days after the task is archived. ` +
    "To keep results elsewhere, declare them as artifacts, or give tasks --workspace dir:<path> or worktree:<repository>.";
  appendTaskEvent(tx, stamp, { kind: KIND, task: at.task, run: at.run }, { message });
}
