import { listNames, makeDir, removeFileSync } from "../../base/fs/directory.js";
import { readTextSync, replaceTextFile } from "../../base/fs/text-file.js";
import { lastLine } from "../../base/log/log-file.js";
import type { RunId, TaskId } from "../../base/units.js";
import type { WorkerIdentity } from "../core/kernel.js";
import type { BoardPlaces } from "../core/places.js";
import { type ExitRecord, parseLine } from "./runner-messages.js";

/** What must be known to find the processes of a run again: written before its worker starts, removed when none of them lives. */
export interface WorkerFile {
  readonly task: TaskId;
  readonly run: RunId;
  readonly worker: WorkerIdentity;
  readonly mark: string;
}

/** How much of a log is looked at for its last line. */
const TAIL_BYTES = 64 * 1024;

const workerPath = (places: BoardPlaces, task: TaskId, run: RunId) =>
  `${places.claim(task, run).slice(0, -".claim".length)}.worker`;

/** Where a worker leaves its last error class for its runner. */
export const reportPath = (claimFile: string) => `${claimFile.slice(0, -".claim".length)}.report`;

export function writeWorkerFile(places: BoardPlaces, file: WorkerFile): void {
  makeDir(places.runs);
  replaceTextFile(workerPath(places, file.task, file.run), `${JSON.stringify(file)}\n`, 0o600);
}

/** Worker files of a board, or of one of its tasks. One that was cut short by a crash names a worker that never started, and is left out. */
export function workerFiles(places: BoardPlaces, task?: TaskId): WorkerFile[] {
  return listNames(places.runs)
    .filter((name) => name.endsWith(".worker") && (task === undefined || name.startsWith(`${task}.`)))
    .flatMap((name) => parseLine<WorkerFile>(readTextSync(`${places.runs}/${name}`) ?? "") ?? []);
}

/** Runs of a board that this product has started a worker for. */
export function startedRuns(places: BoardPlaces): ReadonlySet<number> {
  return new Set(
    listNames(places.runs).flatMap((name) => (name.endsWith(".worker") ? [Number(name.split(".").at(-2))] : [])),
  );
}

/** How the worker of a run ended, as its runner left it; undefined when it left nothing. */
export function exitRecord(places: BoardPlaces, task: TaskId, run: RunId): ExitRecord | undefined {
  const text = readTextSync(places.exit(task, run));
  return text === undefined ? undefined : parseLine<ExitRecord>(text);
}

/** Remove what a run left in the directory of runs. Its claim file is the kernel's. */
export function forgetRun(places: BoardPlaces, task: TaskId, run: RunId): void {
  removeFileSync(places.exit(task, run));
  removeFileSync(reportPath(places.claim(task, run)));
  removeFileSync(workerPath(places, task, run));
}

/** Names in the directory of runs, with the run that each is about. Half-written ones begin with a dot. */
export function namesOfRuns(places: BoardPlaces): { readonly name: string; readonly run: RunId }[] {
  return listNames(places.runs).flatMap((name) => {
    const run = /^\.?t_[0-9a-f]{8}\.(\d+)\./.exec(name)?.[1];
    return run === undefined ? [] : [{ name, run: Number(run) as RunId }]; // the board named the file after the row
  });
}

/** Remove one of these names. */
export const removeName = (places: BoardPlaces, name: string): void => removeFileSync(`${places.runs}/${name}`);

/** What lines about the activity of a worker begin with: what it said about its end has no such mark. */
export const TRACE_MARK = "· ";

/** Last line that the worker wrote to its log; undefined when it wrote none after its header, or only what it was doing. */
export function lastLogLine(places: BoardPlaces, task: TaskId): string | undefined {
  // Right after a rotation the last words stand in the backup.
  const line = lastLine(places.log(task), TAIL_BYTES) ?? lastLine(`${places.log(task)}.1`, TAIL_BYTES);
  return line?.startsWith("=== run ") || line?.startsWith(TRACE_MARK) ? undefined : line;
}
