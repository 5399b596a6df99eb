import { noteRun, setRunTexts } from "../../../storage/tables/board/runs.js";
import type { BoardSlug } from "../../base/units.js";
import type { FailureReport } from "../../contracts/board/api.js";
import type { ClaimRef } from "../../contracts/board/board.js";
import type { Core } from "../core/core.js";
import { appendTaskEvent, SYSTEM, toStamp } from "../core/core.js";
import { requireClaim } from "../core/fence.js";
import { clip } from "../core/texts.js";

/** Keep what a worker says about its own end until its process is gone and the run is settled. */
export async function reportFailure(
  core: Core,
  board: BoardSlug,
  claim: ClaimRef,
  report: FailureReport,
): Promise<void> {
  const clean = (text: string, max: number) => clip(core.redact(text), max);
  const kept: FailureReport = {
    ...report,
    ...(report.error === undefined ? {} : { error: clean(report.error, 500) }),
    ...(report.last_text === undefined ? {} : { last_text: clean(report.last_text, 32 * 1024) }),
  };
  const store = await core.store(board, claim.task);
  await store.write("board.report", async (tx) => {
    const { run } = await requireClaim(tx, core, claim);
    await setRunTexts(tx, run.id, { report: JSON.stringify(kept) });
    await noteRun(tx, run.id, report.session_id ?? null, report.usage ?? null);
  });
}

/** Skills that the assignee could not resolve; the run started without them. */
export async function skillsMissing(
  core: Core,
  board: BoardSlug,
  claim: ClaimRef,
  skills: readonly string[],
): Promise<void> {
  const store = await core.store(board, claim.task);
  const stamp = toStamp(core, SYSTEM);
  await store.write("board.skills-missing", async (tx) => {
    const { run } = await requireClaim(tx, core, claim);
    appendTaskEvent(tx, stamp, { kind: "skill_missing", task: claim.task, run: run.id }, { skills });
  });
}
