import { AppError, toAppError } from "../base/errors.js";
import { faultPoint } from "../base/fault.js";
import type { Ids } from "../base/ids.js";
import type { Log } from "../base/log.js";
import { rotateFile } from "../base/log-file.js";
import type { Spawner } from "../base/spawn.js";
import { type BoardSlug, toIso, toUnix } from "../base/units.js";
import type { ClaimRef, Task } from "../proto/board.js";
import type { DispatchSettings } from "./dispatcher-settings.js";
import type { BoardKernel, PreparedWorkspace, Settled } from "./kernel.js";
import { type Program, type Runner, startRunner } from "./runner.js";
import { forgetRun, reportPath, writeWorkerFile } from "./runner-files.js";
import type { RunnerOrder } from "./runner-messages.js";
import { endProcesses, type StopDeps } from "./stop.js";
import type { Supervisor } from "./supervise.js";
import { workerCommand } from "./worker-command.js";
import { workerEnv } from "./worker-env.js";
import type { WorkerProfile } from "./worker-profile.js";

export interface StartDeps extends StopDeps {
  readonly kernel: BoardKernel;
  readonly supervisor: Supervisor;
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

export type Start =
  | { readonly started: true; readonly workspace: string }
  /** `settled` is undefined when the run was taken away meanwhile. */
  | { readonly started: false; readonly settled: Settled | undefined };

/** Start the worker of a claimed task (board part, 7.2). What goes wrong is the spawn failure of the run that was opened for it. */
export async function startWorker(deps: StartDeps, one: ClaimedTask): Promise<Start> {
  try {
    const claimFile = await deps.kernel.writeClaimFile(one.board, one.claim);
    const workspace = await deps.kernel.prepareWorkspace(one.board, one.claim);
    const mark = deps.ids.hex(16);
    const runner = await launch(deps, one, { claimFile, workspace, mark });
    return await release(deps, one, { runner, mark, workspace: workspace.path });
  } catch (error) {
    return failed(deps, one, toAppError(error));
  }
}

interface Launch {
  readonly claimFile: string;
  readonly workspace: PreparedWorkspace;
  readonly mark: string;
}

async function launch(deps: StartDeps, one: ClaimedTask, { claimFile, workspace, mark }: Launch): Promise<Runner> {
  const command = workerCommand(one.task, one.profile, one.orchestrator);
  if (command.missingSkills.length > 0) await deps.kernel.skillsMissing(one.board, one.claim, command.missingSkills);
  const place = { ...one, root: deps.root, claimFile, workspace: workspace.path, branch: workspace.branch, mark };
  const env = workerEnv(place, one.profile, deps.env, deps.settings().workerEnv);
  return startRunner(deps.spawner, deps.runner, { cwd: workspace.path, env }, orderOf(deps, one, claimFile, command.args));
}

function orderOf(deps: StartDeps, one: ClaimedTask, claimFile: string, args: readonly string[]): RunnerOrder {
  const { logMaxBytes, logBackups, killGraceMs } = deps.settings();
  const places = deps.kernel.places(one.board);
  const log = places.log(one.task.id);
  rotateFile(log, { maxBytes: logMaxBytes, backups: logBackups, inUse: false });
  const time = `${toIso(toUnix(deps.clock.now()) * 1000).slice(0, 19)}Z`;
  return {
    file: deps.worker.file,
    args: [...deps.worker.args, ...args],
    log,
    header: `=== run ${one.claim.run} profile=${one.profile.name} ${time} ===`,
    exit: places.exit(one.task.id, one.claim.run),
    report: reportPath(claimFile),
    graceMs: killGraceMs,
  };
}

interface Waiting {
  readonly runner: Runner;
  readonly mark: string;
  readonly workspace: string;
}

/** The identity is on disk and on the run before the worker begins; a run that was taken away meanwhile begins nothing. */
async function release(deps: StartDeps, one: ClaimedTask, { runner, mark, workspace }: Waiting): Promise<Start> {
  const worker = { ...runner.child.id, host: deps.spawner.host };
  const file = { task: one.task.id, run: one.claim.run, worker, mark };
  try {
    writeWorkerFile(deps.kernel.places(one.board), file);
    await deps.kernel.bind(one.board, one.claim, worker);
  } catch (error) {
    runner.abandon();
    throw error;
  }
  runner.go();
  const answer = await runner.answer;
  if (!answer.started) {
    await endProcesses(deps, { leader: worker, mark }, deps.settings().killGraceMs);
    throw new AppError("E_STATE", answer.error, { class: "start" });
  }
  runner.child.unref();
  deps.supervisor.watch(one.board, file, runner.child);
  faultPoint("worker.started");
  return { started: true, workspace };
}

async function failed(deps: StartDeps, one: ClaimedTask, error: AppError): Promise<Start> {
  const { kernel } = deps;
  const { task, run } = one.claim;
  forgetRun(kernel.places(one.board), task, run);
  if (error.code === "E_CLAIM_LOST") return { started: false, settled: undefined };
  deps.log.warning("a worker could not be started", { task, run, code: error.code, message: error.message });
  const errorClass = error.code === "E_WORKSPACE" ? "workspace" : "start";
  const settled = await kernel.settle({
    board: one.board,
    task,
    run,
    observed: { how: "not_started", error: error.message, errorClass },
    ...(one.failureLimit === undefined ? {} : { failureLimit: one.failureLimit }),
  });
  return { started: false, settled };
}
