import { AppError, toAppError } from "../../base/errors.js";
import { faultPoint } from "../../base/fault.js";
import type { Ids } from "../../base/ids.js";
import type { Log } from "../../base/log/log.js";
import { rotateFile } from "../../base/log/log-file.js";
import type { Spawner } from "../../base/process/spawn.js";
import { type BoardSlug, toIso } from "../../base/units.js";
import type { ClaimRef, Task } from "../../contracts/board/board.js";
import { DISK_FULL } from "../core/judge.js";
import type { BoardKernel, PreparedWorkspace, Settled } from "../core/kernel.js";
import { type Program, startRunner, type WorkerRunner } from "../worker-process/runner.js";
import { forgetRun, reportPath, writeWorkerFile } from "../worker-process/runner-files.js";
import type { RunnerOrder } from "../worker-process/runner-messages.js";
import { endProcesses, MARK, type StopDeps } from "../worker-process/stop.js";
import { workerCommand } from "../worker-process/worker-command.js";
import { workerEnv } from "../worker-process/worker-env.js";
import type { WorkerProfile } from "../worker-process/worker-profile.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import type { WorkerSupervisor } from "./supervise.js";

export interface StartDeps extends StopDeps {
  readonly kernel: BoardKernel;
  readonly supervisor: WorkerSupervisor;
  readonly spawner: Spawner;
  readonly ids: Ids;
  readonly log: Log;
  readonly settings: () => DispatchSettings;
  /** Environment of the owner. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** `AGENT_KANBAN_HOME` of the workers. */
  readonly root: string;
  /** The runner, `node dist/runner.cjs`. */
  readonly runner: Program;
  /** The worker: `AGENT_BIN`, or this program. */
  readonly worker: Program;
}

/** A task that has just been claimed for a profile. */
export interface ClaimedTask {
  readonly board: BoardSlug;
  readonly claim: ClaimRef;
  readonly task: Task;
  readonly profile: WorkerProfile;
  readonly orchestrator: boolean;
  readonly failureLimit?: number | undefined;
}

export type WorkerStart =
  | { readonly started: true; readonly workspace: string }
  /** `settled` is undefined when the run was taken away meanwhile. */
  | { readonly started: false; readonly settled: Settled | undefined };

/** Start the worker of a claimed task (board part, 7.2). What goes wrong is the spawn failure of the run that was opened for it. */
export async function startWorker(deps: StartDeps, one: ClaimedTask): Promise<WorkerStart> {
  let runner: WorkerRunner | undefined;
  try {
    const mark = deps.ids.hex(16);
    runner = await launch(deps, one, mark);
    const claimFile = await deps.kernel.writeClaimFile(one.board, one.claim);
    const workspace = await deps.kernel.prepareWorkspace(one.board, one.claim);
    const order = await orderOf(deps, one, { claimFile, workspace, mark });
    return await release(deps, one, { runner, order, mark });
  } catch (error) {
    runner?.abandon();
    return failed(deps, one, toAppError(error));
  }
}

/** The runner boots while the workspace is made. */
function launch(deps: StartDeps, one: ClaimedTask, mark: string): Promise<WorkerRunner> {
  const { logMaxBytes, logBackups } = deps.settings();
  const log = deps.kernel.places(one.board).log(one.task.id);
  rotateFile(log, { maxBytes: logMaxBytes, backups: logBackups, inUse: false });
  return startRunner(deps.spawner, deps.runner, { log, env: { [MARK]: mark } });
}

interface Prepared {
  readonly claimFile: string;
  readonly workspace: PreparedWorkspace;
  readonly mark: string;
}

async function orderOf(
  deps: StartDeps,
  one: ClaimedTask,
  { claimFile, workspace, mark }: Prepared,
): Promise<RunnerOrder> {
  const { args, missingSkills } = await workerCommand(one.task, one.profile, one.orchestrator);
  if (missingSkills.length > 0) await deps.kernel.skillsMissing(one.board, one.claim, missingSkills);
  const place = { ...one, root: deps.root, claimFile, workspace: workspace.path, branch: workspace.branch, mark };
  const places = deps.kernel.places(one.board);
  return {
    file: deps.worker.file,
    args: [...deps.worker.args, ...args],
    cwd: workspace.path,
    env: workerEnv(place, one.profile, deps.env, deps.settings().workerEnv),
    log: places.log(one.task.id),
    header: `=== run ${one.claim.run} profile=${one.profile.name} ${toIso(deps.clock.now()).slice(0, 19)}Z ===`,
    exit: places.exit(one.task.id, one.claim.run),
    report: reportPath(claimFile),
    graceMs: deps.settings().killGraceMs,
  };
}

interface Waiting {
  readonly runner: WorkerRunner;
  readonly order: RunnerOrder;
  readonly mark: string;
}

/** The identity is on disk and on the run before the worker begins; a run that was taken away meanwhile begins nothing. */
async function release(deps: StartDeps, one: ClaimedTask, { runner, order, mark }: Waiting): Promise<WorkerStart> {
  const worker = { ...runner.child.id, host: deps.spawner.host };
  const file = { task: one.task.id, run: one.claim.run, worker, mark };
  writeWorkerFile(deps.kernel.places(one.board), file);
  await deps.kernel.bind(one.board, one.claim, worker);
  runner.go(order);
  const answer = await runner.answer;
  if (!answer.started) {
    await endProcesses(deps, { leader: worker, mark }, deps.settings().killGraceMs);
    throw new AppError("E_STATE", answer.error);
  }
  runner.child.unref();
  deps.supervisor.watch(one.board, file, runner.child);
  faultPoint("worker.started");
  return { started: true, workspace: order.cwd };
}

async function failed(deps: StartDeps, one: ClaimedTask, error: AppError): Promise<WorkerStart> {
  const { kernel } = deps;
  const { task, run } = one.claim;
  forgetRun(kernel.places(one.board), task, run);
  if (error.code === "E_CLAIM_LOST") return { started: false, settled: undefined };
  deps.log.warning("failed to start a worker", { task, run, code: error.code, message: error.message });
  const errorClass = error.code === "E_STORE_FULL" ? DISK_FULL : error.code === "E_WORKSPACE" ? "workspace" : "start";
  const settled = await kernel.settle({
    board: one.board,
    task,
    run,
    observed: { how: "not_started", error: error.message, errorClass },
    ...(one.failureLimit === undefined ? {} : { failureLimit: one.failureLimit }),
  });
  return { started: false, settled };
}
