import { hostname } from "node:os";
import { AppError, toAppError } from "../../base/errors.js";
import { writePrivate } from "../../base/fs/workspace-files.js";
import type { BoardSlug, TaskId } from "../../base/units.js";
import type { ClaimAnswer } from "../../contracts/board/api.js";
import type { Actor, ClaimFile, ClaimRef } from "../../contracts/board/board.js";
import type { Core } from "../core/core.js";
import { readTask } from "../core/core.js";
import type { WorkerIdentity } from "../core/kernel.js";
import { readBoardSettings } from "../core/known.js";
import { checkActor } from "../core/verbs.js";
import { prepareWorkspace } from "../workspaces/prepare.js";
import { bind, claim, claimRefused } from "./claim.js";
import { settleRun } from "./settle.js";

/** Claim for something outside the product: a person, a script, another agent (board part, 7.10). */
export async function claimOutside(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  options: { ttl?: number | undefined; pid?: number | undefined },
  by: Actor,
): Promise<ClaimAnswer> {
  checkActor("claim", at.id, by);
  const paused = (await readBoardSettings(core, at.board)).paused_at !== null;
  if (paused)
    throw new AppError("E_STATE", `cannot claim ${at.id}: board '${at.board}' is paused`, {
      hint: `agent kanban boards resume ${at.board}`,
    });
  const worker = options.pid === undefined ? undefined : identityOf(core, options.pid);
  const profile = (await readTask(core, at.board, at.id)).assignee ?? by.name;
  const lock = `${hostname()}:${options.pid ?? process.pid}`;
  const outcome = await claim(core, at.board, at.id, {
    profile,
    lock,
    by,
    ...(options.ttl === undefined ? {} : { ttl: options.ttl }),
  });
  if (!outcome.claimed) throw claimRefused(at.id, outcome);
  try {
    const workspace = await prepareWorkspace(core, at.board, outcome.claim);
    if (worker !== undefined) await bind(core, at.board, outcome.claim, worker);
    await writeClaimFile(core, at.board, outcome.claim);
    return {
      task: await readTask(core, at.board, at.id),
      run_id: outcome.claim.run,
      token: outcome.claim.token,
      claim_expires: outcome.expires,
      workspace: workspace.path,
    };
  } catch (error) {
    const observed = { how: "not_started", error: toAppError(error).message, errorClass: "workspace" } as const;
    await settleRun(core, { board: at.board, task: at.id, run: outcome.claim.run, observed });
    throw error;
  }
}

function identityOf(core: Core, pid: number): WorkerIdentity {
  const found = core.spawner.identify(pid);
  if (found === undefined) throw new AppError("E_INVALID", `no such process: ${pid}`);
  return { ...found, host: core.host };
}

/** Write the file (0600) by which the worker of an open run proves itself. */
export async function writeClaimFile(core: Core, board: BoardSlug, ref: ClaimRef): Promise<string> {
  const path = core.places(board).claim(ref.task, ref.run);
  const file: ClaimFile = { board, ...ref, ttl_seconds: core.leaseSeconds() };
  await writePrivate(path, `${JSON.stringify(file)}\n`);
  return path;
}
