import { childrenOf, cpuOf, describeTree, endTree, processesWith, treeOf } from "./processes.js";

const LOOK_MS = 1_000;

/**
 * Call `still` each time when the processor time of a process and of all that it started has not grown for a while. It is looked at often, and looks
 * are counted, not time: a machine that stood still itself has nothing against its processes. Where the system does not tell it, never.
 *
 * @returns ends the watch
 */
export function whenStill(pid: number, still: () => void, stillMs: number, lookMs = LOOK_MS): () => void {
  let used = "";
  let unchanged = 0;
  const timer = setInterval(() => {
    const now = treeOf(pid)
      .map((pid) => cpuOf(pid))
      .join(" ");
    unchanged = now === used && cpuOf(pid) !== undefined ? unchanged + 1 : 0;
    used = now;
    if (unchanged * lookMs < stillMs) return;
    unchanged = 0;
    still();
  }, lookMs);
  return () => clearInterval(timer);
}

export interface WatchOptions {
  /** Stands in the environment of all that this run starts, and of nothing else. */
  readonly mark: string;
  /** How long the processes of a file may use no processor until they count as waiting for what does not come. */
  readonly stillMs: number;
  readonly lookMs?: number;
  readonly say?: (text: string) => void;
}

/**
 * Tell which file of the test runner stands still, and end it, so that the others go on and it fails under its own name. Who ends the run, at a
 * limit of time for instance, reports what was running; for that the runner is in a process group of its own. Linux only; elsewhere nothing is reported.
 *
 * @returns ends the watch, and tells how many were ended
 */
export function watchRunner(runner: number, options: WatchOptions): () => number {
  let count = 0;
  const end: End = (why, one) => {
    count += 1;
    (options.say ?? say)([`ended, because ${why}:`, ...describeTree(one), ""].join("\n"));
    endTree(one);
  };
  const stops = [
    watchFiles(runner, options, end),
    watchStrays(runner, options, end),
    onSignals((signal) => {
      end(`${signal} came`, runner);
      for (const one of processesWith(options.mark)) endTree(one);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    return count;
  };
}

type End = (why: string, pid: number) => void;

const say = (text: string) => process.stdout.write(text);

function watchFiles(runner: number, { stillMs, lookMs = LOOK_MS }: WatchOptions, end: End): () => void {
  const files = new Map<number, () => void>();
  const drop = (pid: number) => {
    files.get(pid)?.();
    files.delete(pid);
  };
  const timer = setInterval(() => {
    const running = childrenOf(runner);
    for (const pid of running.filter((one) => !files.has(one)))
      files.set(
        pid,
        whenStill(pid, () => end(`it stood still for ${stillMs} ms`, pid), stillMs, lookMs),
      );
    for (const pid of [...files.keys()].filter((one) => !running.includes(one))) drop(pid);
  }, lookMs);
  return () => {
    clearInterval(timer);
    for (const pid of [...files.keys()]) drop(pid);
  };
}

/** A runner without files that stands still waits for the output of one that has ended, which something that the file started holds open. */
function watchStrays(runner: number, options: WatchOptions, end: End): () => void {
  const { mark, stillMs, lookMs = LOOK_MS } = options;
  const endStrays = () => {
    for (const pid of processesWith(mark))
      if (pid !== runner) end("its test has ended and the output is still open", pid);
  };
  return whenStill(runner, endStrays, stillMs + 5 * lookMs, lookMs);
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function onSignals(heard: (signal: string) => void): () => void {
  for (const signal of SIGNALS) process.once(signal, heard);
  return () => {
    for (const signal of SIGNALS) process.off(signal, heard);
  };
}
