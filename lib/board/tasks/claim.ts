import type { Tx } from "../../../storage/store.js";
import { linksOf, unsettledParents } from "../../../storage/tables/board/links.js";
import { toTask, toUsage } from "../../../storage/tables/board/rows.js";
import { beatRun, bindRun, getRun, openRun, usageOf } from "../../../storage/tables/board/runs.js";
import { getFull } from "../../../storage/tables/board/tasks.js";
import { AppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import { sha256 } from "../../base/text/hash.js";
import { type BoardSlug, type TaskId, toUnix } from "../../base/units.js";
import type { Beat } from "../../contracts/board/api.js";
import type { Actor, ClaimRef } from "../../contracts/board/board.js";
import { appendTaskEvent, type Core, mustTask, mustView, SYSTEM, toStamp, unknownTask } from "../core/core.js";
import { claimLost, requireClaim } from "../core/fence.js";
import type { ClaimOptions, ClaimOutcome, WorkerIdentity } from "../core/kernel.js";
import { changeStatus, updateTaskColumns } from "../core/states.js";
import { checkActor, checkVerb } from "../core/verbs.js";

/** Compare-and-set of board part 4.5: however many callers race, one wins. */
export async function claim(core: Core, board: BoardSlug, id: TaskId, options: ClaimOptions): Promise<ClaimOutcome> {
  if (core.leaving.has(board))
    throw new AppError("E_STATE", `cannot claim ${id}: board '${board}' is being removed`, { board });
  const store = await core.store(board, id);
  const token = core.ids.token();
  const stamp = toStamp(core, options.by);
  const now = toUnix(stamp.at);
  const expires = now + (options.ttl ?? core.leaseSeconds());
  const outcome = await store.write("board.claim", async (tx): Promise<ClaimOutcome> => {
    const task = await getFull(tx, id);
    if (task === undefined) return { claimed: false, why: "unknown", status: undefined, lock: null };
    if (task.status !== "ready" || task.current_run_id !== null) {
      return { claimed: false, why: "not_ready", status: task.status, lock: await lockOf(tx, task.current_run_id) };
    }
    const links = await linksOf(tx, id);
    if (links.parents.length > 0 && (await unsettledParents(tx, id)).length > 0) {
      await changeStatus(tx, task, "claim", {
        ...stamp,
        facts: { open: true },
        payload: { reason: "parents_not_done" },
      });
      return { claimed: false, why: "parents_not_done", status: "todo", lock: null };
    }
    const { lock, profile } = options;
    const opened = {
      task: id,
      profile,
      lock,
      tokenSha256: sha256(token),
      expires,
      maxRuntime: task.max_runtime_seconds,
      at: now,
    };
    const run = await openRun(tx, opened);
    const patch = { started_at: task.started_at ?? now, current_run_id: run };
    const status = await changeStatus(tx, task, "claim", {
      ...stamp,
      run,
      facts: { settled: true },
      patch,
      payload: { lock, expires, run_id: run },
    });
    // The row is known: reading it back would double the cost of the most contended verb.
    const marks = {
      status,
      claim_expires: expires,
      last_heartbeat_at: now,
      updated_at: now,
      version: task.version + 1,
    };
    const usage = task.started_at === null ? null : toUsage(await usageOf(tx, id));
    return {
      claimed: true,
      claim: { task: id, run, token },
      task: toTask({ ...task, ...patch, ...marks }, links, usage),
      expires,
    };
  });
  if (outcome.claimed) faultPoint("claim.committed");
  return outcome;
}

async function lockOf(tx: Tx, run: number | null): Promise<string | null> {
  return run === null ? null : ((await getRun(tx, run))?.claim_lock ?? null);
}

/** Record the identity of the process that leads the worker. @throws E_CLAIM_LOST when the run was closed or fenced meanwhile */
export async function bind(core: Core, board: BoardSlug, ref: ClaimRef, worker: WorkerIdentity): Promise<void> {
  const store = await core.store(board, ref.task);
  const stamp = toStamp(core, SYSTEM);
  await store.write("board.bind", async (tx) => {
    const { task, run } = await requireClaim(tx, core, ref);
    await bindRun(tx, run.id, worker);
    await updateTaskColumns(tx, task, stamp.at);
    appendTaskEvent(tx, stamp, { kind: "spawned", task: task.id, run: run.id }, { pid: worker.pid });
  });
  faultPoint("worker.bound");
}

/** Extend the lease (board part, 7.5). Without a claim the lease of the open run is extended: a person vouches for it. */
export async function heartbeat(
  core: Core,
  at: { board: BoardSlug; id: TaskId },
  text: string | undefined,
  by: Actor,
): Promise<Beat> {
  checkActor("heartbeat", at.id, by);
  const store = await core.store(at.board, at.id);
  const stamp = toStamp(core, by);
  const now = toUnix(stamp.at);
  const expires = now + core.leaseSeconds();
  return store.write("board.heartbeat", async (tx) => {
    const task = by.kind === "worker" ? (await requireClaim(tx, core, by.claim)).task : await mustTask(tx, at.id);
    checkVerb("heartbeat", task);
    if (task.current_run_id === null || !(await beatRun(tx, task.current_run_id, expires, now)))
      throw claimLost(task.id);
    const words = by.kind === "worker" ? core.redact(text ?? "") : (text ?? "");
    if (words !== "")
      appendTaskEvent(
        tx,
        stamp,
        { kind: "heartbeat", task: task.id, run: task.current_run_id },
        { note: words.slice(0, 4096) },
      );
    return { task: await mustView(tx, task.id), claim_expires: expires };
  });
}

/** Words of a refused claim, as the command line prints them. */
export function claimRefused(id: string, outcome: Extract<ClaimOutcome, { claimed: false }>): AppError {
  if (outcome.why === "unknown") return unknownTask(id);
  const code = outcome.why === "parents_not_done" ? "E_PARENTS_OPEN" : "E_STATE";
  return new AppError(code, `cannot claim ${id}: status=${outcome.status} lock=${outcome.lock ?? "(none)"}`, {
    status: outcome.status,
  });
}
