import type { Tx } from "../../../storage/store.js";
import type { RunRow, TaskRow } from "../../../storage/tables/board/rows.js";
import { closeRun, noteRun, setRunTexts, usageOf } from "../../../storage/tables/board/runs.js";
import { setTexts } from "../../../storage/tables/board/tasks.js";
import { type BoardSlug, toUnix } from "../../base/units.js";
import type { ClaimRef } from "../../contracts/board/board.js";
import type { BoardWorkerApi, Spent, TokenBudget } from "../../contracts/board/worker.js";
import { type Core, removeClaimFile, type Stamp, SYSTEM, toStamp } from "../core/core.js";
import { endedRun, requireClaim } from "../core/fence.js";
import { KANBAN } from "../core/keys.js";
import { workerTools } from "../core/rules.js";
import { changeStatus } from "../core/states.js";
import { budgetReason } from "../core/texts.js";

/** Verbs of workers about their own run. */
export const workerVerbs = (core: Core): BoardWorkerApi => ({
  spend: (board, claim, spent) => spend(core, board, claim, spent),
  workerTools: async (profile) => workerTools(core, profile),
});

/** What a task may use in all, in tokens; 0: as much as it needs. */
async function spend(core: Core, board: BoardSlug, claim: ClaimRef, spent: Spent): Promise<TokenBudget> {
  const store = await core.store(board, claim.task);
  const stamp = toStamp(core, SYSTEM);
  const max = core.config.get(KANBAN.maxTokensPerTask);
  const budget = await store.write("board.spend", async (tx): Promise<TokenBudget> => {
    const left = spent.leaving === true ? await endedRun(tx, claim) : undefined;
    if (left !== undefined) {
      await noteRun(tx, left.id, null, spent.usage ?? null);
      return { over: false };
    }
    const { task, run } = await requireClaim(tx, core, claim);
    await noteRun(tx, run.id, spent.session_id ?? null, spent.usage ?? null);
    if (max === 0 || spent.ends === false) return { over: false };
    const sum = await usageOf(tx, task.id);
    const used = (sum?.input_tokens ?? 0) + (sum?.output_tokens ?? 0);
    if (used < max) return { over: false };
    await usedUp(tx, { task, run }, budgetReason(used, max), stamp);
    return { over: true, used, max };
  });
  if (budget.over) await removeClaimFile(core, board, claim.task, claim.run);
  return budget;
}

/** The run ends here, by what its own worker told; the worker leaves by itself (row 29). */
async function usedUp(
  tx: Tx,
  { task, run }: { task: TaskRow; run: RunRow },
  reason: string,
  stamp: Stamp,
): Promise<void> {
  await closeRun(tx, run.id, { outcome: "blocked", at: toUnix(stamp.at) });
  await setRunTexts(tx, run.id, { summary: reason });
  await setTexts(tx, task.id, { block_reason: reason });
  await changeStatus(tx, task, "token budget", {
    ...stamp,
    run: run.id,
    patch: { current_run_id: null, block_kind: "budget" },
    payload: { reason, block_kind: "budget" },
  });
}
