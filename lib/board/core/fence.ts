import type { Tx } from "../../../storage/store.js";
import type { RunRow, TaskRow } from "../../../storage/tables/board/rows.js";
import { getRun } from "../../../storage/tables/board/runs.js";
import { getTask } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { matchesDigest } from "../../base/text/hash.js";
import type { ClaimRef } from "../../contracts/board/board.js";
import type { Core } from "./core.js";

export const claimLost = (task: string): AppError =>
  new AppError("E_CLAIM_LOST", `you no longer own ${task}; stop now`, { task });

/**
 * Task and open run of a claim, read in the transaction that changes them. Every operation of a worker begins with this.
 *
 * @throws E_CLAIM_LOST task, run or token differ, the run has ended, or it is being stopped. The transaction has changed nothing.
 */
export async function requireClaim(
  tx: Tx,
  core: Pick<Core, "instance">,
  claim: ClaimRef,
): Promise<{ task: TaskRow; run: RunRow }> {
  const task = await getTask(tx, claim.task);
  const run = await getRun(tx, claim.run);
  const valid =
    task !== undefined &&
    run !== undefined &&
    run.task_id === task.id &&
    run.ended_at === null &&
    task.current_run_id === run.id &&
    run.fenced_by !== core.instance &&
    isTokenOf(run, claim);
  if (!valid) throw claimLost(claim.task);
  return { task, run };
}

const isTokenOf = (run: RunRow, claim: ClaimRef): boolean => matchesDigest(claim.token, run.token_sha256);

/** The run of a claim once it has ended. Only what it used may still be noted on it. Undefined: it is open, or not that of the claim. */
export async function endedRun(tx: Tx, claim: ClaimRef): Promise<RunRow | undefined> {
  const run = await getRun(tx, claim.run);
  if (run === undefined || run.ended_at === null || run.task_id !== claim.task) return undefined;
  return isTokenOf(run, claim) ? run : undefined;
}
