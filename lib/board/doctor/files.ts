import { join } from "node:path";
import { auditTasks, begunTasks, lostRuns, newestAttachments } from "../../../storage/tables/board/audit.js";
import { getRun, openRuns } from "../../../storage/tables/board/runs.js";
import { listNames, removeFileSync } from "../../base/fs/directory.js";
import { listDirectory, statPath } from "../../base/fs/files.js";
import { isMarked } from "../../base/fs/workspace-files.js";
import type { TaskId } from "../../base/units.js";
import { workerFiles } from "../worker-process/runner-files.js";
import { auditLimit, checkOf, type DoctorCheck, type Doctoring, readBoardStore, repaired } from "./doctoring.js";

/** Every open run has a worker that lives, or a lease that has not ended. */
export const checkWorkers: DoctorCheck = async (of) => {
  const { core, now } = of;
  const { open, lost } = await readBoardStore(of, async (q) => ({ open: await openRuns(q), lost: await lostRuns(q) }));
  const dead = open.filter((run) => {
    const identity = { pid: run.worker_pid ?? 0, start: run.worker_start ?? "", boot: run.boot_id ?? "" };
    const elsewhere = run.host_id !== null && run.host_id !== core.host;
    const alive = run.worker_pid !== null && (elsewhere || core.spawner.alive(identity));
    return !alive && (run.worker_pid !== null || (run.claim_expires ?? 0) <= now);
  });
  const findings = [
    ...dead.map((run) => `run ${run.id} of ${run.task_id} has no living worker`),
    ...lost.map((id) => `run ${id} has neither worker nor lease`),
  ];
  return checkOf(
    {
      name: "workers",
      ok: `${open.length} open run(s), each with a worker or a lease`,
      as: "warn",
      fix: "the next pass settles them: agent kanban dispatch",
    },
    [...new Set(findings)],
  );
};

/** Milliseconds a worker may take to leave after its run was closed (board part, 7.5). */
const LEAVE_SECONDS = 30;

/** Invariant 3: no two workers for one task, and none without an open run. */
export const checkStrayWorkers: DoctorCheck = async (of) => {
  const { core, now } = of;
  const living = workerFiles(core.places(of.board)).filter((file) => core.spawner.alive(file.worker));
  const findings: string[] = [];
  await readBoardStore(of, async (q) => {
    for (const file of living) {
      const run = await getRun(q, file.run);
      const ended = run === undefined ? 0 : run.ended_at;
      if (ended !== null && now - ended > LEAVE_SECONDS)
        findings.push(`process ${file.worker.pid} of ${file.task} is alive, but its run ${file.run} has ended`);
    }
  });
  const tasks = living.map((file) => file.task);
  for (const task of new Set(tasks.filter((one, at) => tasks.indexOf(one) !== at)))
    findings.push(`${task} has two living workers`);
  return checkOf(
    {
      name: "stray workers",
      ok: "no worker is alive without a run",
      as: "fail",
      fix: "kill the process manually; a running owner retries",
    },
    findings,
  );
};

const RUN_FILE = /^t_[0-9a-f]{8}\.\d+\.(?:claim|exit|report|worker)$/;

/** Claim files and exit records are there while their run is open. The names are read before the runs: what is begun meanwhile is open. */
export const checkClaimFiles: DoctorCheck = async (of) => {
  const { core, board } = of;
  const places = core.places(board);
  const found = listNames(places.runs).filter((name) => RUN_FILE.test(name));
  const open = new Set((await readBoardStore(of, openRuns)).map((run) => `${run.task_id}.${run.id}`));
  const living = new Set(
    workerFiles(places)
      .filter((file) => core.spawner.alive(file.worker))
      .map((file) => `${file.task}.${file.run}`),
  );
  const orphans = found.filter((name) => {
    const key = name.split(".").slice(0, 2).join(".");
    return !open.has(key) && !living.has(key);
  });
  const name = "claim files";
  if (orphans.length === 0)
    return { name, status: "ok", detail: found.length === 0 ? "none" : "all belong to open runs" };
  if (!of.fix)
    return checkOf(
      { name, ok: "", as: "warn", fix: "agent kanban doctor --fix removes them" },
      orphans.map((file) => `${file}: its run has ended`),
    );
  for (const file of orphans) removeFileSync(join(places.runs, file));
  return repaired(name, "removed", orphans);
};

/** Scratch workspaces belong to tasks, and tasks that were begun have theirs. */
export const checkWorkspaces: DoctorCheck = async (of) => {
  const strays = await strayWorkspaces(of);
  const missing: string[] = [];
  for (const task of await readBoardStore(of, begunTasks)) {
    if ((await statPath(task.workspace_path)) === undefined)
      missing.push(`${task.id}: workspace ${task.workspace_path} is missing`);
  }
  const fix = missing.length > 0 ? "it is recreated, empty, at the next start" : "agent kanban gc removes them";
  return checkOf({ name: "workspaces", ok: "workspaces match their tasks", as: "warn", fix }, [...missing, ...strays]);
};

/** The folders are listed before the store is asked about them: a task that is made meanwhile has its folder later. */
async function strayWorkspaces(of: Doctoring): Promise<readonly string[]> {
  const { core, board } = of;
  const root = core.places(board).workspaces;
  if ((await statPath(root)) === undefined) return [];
  const found = (await listDirectory(root)).filter(
    (one) => one.kind === "directory" && /^t_[0-9a-f]{8}$/.test(one.name),
  );
  const names = found.map((one) => one.name);
  const known = new Set(
    (await readBoardStore(of, (q) => auditTasks(q, names as TaskId[]))).map((task): string => task.id),
  ); // of the form of an id
  const strays: string[] = [];
  for (const name of names) {
    if (known.has(name)) continue;
    if (await isMarked(join(root, name), { board, task_id: name }))
      strays.push(`${join(root, name)} does not belong to a task`);
  }
  return strays;
}

/** Attachments have their files. */
export const checkAttachments: DoctorCheck = async (of) => {
  const root = of.core.places(of.board).attachments;
  const missing: string[] = [];
  for (const file of await readBoardStore(of, (q) => newestAttachments(q, auditLimit(of)))) {
    if ((await statPath(join(root, file.stored_path))) === undefined)
      missing.push(`${file.filename} of ${file.task_id} (attachment ${file.id})`);
  }
  return checkOf(
    {
      name: "attachments",
      ok: "every attachment has its file",
      as: "fail",
      fix: "agent kanban detach ID ATTACHMENT removes the entry",
    },
    missing,
  );
};
