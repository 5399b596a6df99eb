import { readdirSync, readFileSync } from "node:fs";

/** Memory in use in MB, or undefined where the system does not tell. `peak` is the most it ever was. */
export function memoryOf(pid: number, which: "now" | "peak" = "now"): number | undefined {
  const text = readOrEmpty(`/proc/${pid}/status`);
  const kb = new RegExp(`^${which === "now" ? "VmRSS" : "VmHWM"}:\\s+(\\d+) kB`, "m").exec(text)?.[1];
  return kb === undefined ? undefined : Number(kb) / 1024;
}

/** Processor time used so far, in seconds: its own, or that of the processes that it started and that have ended, with theirs. */
export function cpuOf(pid: number, whose: "its own" | "ended children" = "its own"): number | undefined {
  const fields = readOrEmpty(`/proc/${pid}/stat`)
    .replace(/^.*\) /, "")
    .split(" ");
  const [user, system] = whose === "its own" ? [11, 12] : [13, 14];
  const ticks = Number(fields[user]) + Number(fields[system]);
  return Number.isFinite(ticks) ? ticks / 100 : undefined;
}

/** A living process and all that it, and what it started, has started. Linux only; elsewhere the process alone. */
export const treeOf = (pid: number): number[] => [pid, ...childrenOf(pid).flatMap(treeOf)];

/** Living processes that a process has started. Linux only; elsewhere none is found. */
export const childrenOf = (pid: number): number[] =>
  tasksOf(pid).flatMap((task) => readOrEmpty(`${task}/children`).split(" ").filter(Boolean).map(Number));

const tasksOf = (pid: number): string[] => readOrNone(`/proc/${pid}/task`).map((tid) => `/proc/${pid}/task/${tid}`);

/** What a process and all that it started are doing: a line for each, and one for each thread with its state, the system call it is in and the call's arguments. */
export const describeTree = (pid: number): string[] => treeOf(pid).flatMap(describeProcess);

function describeProcess(pid: number): string[] {
  const words = readOrEmpty(`/proc/${pid}/cmdline`).split("\0").filter(Boolean);
  const threads = tasksOf(pid).map((task) => {
    const [, name = "", state = ""] = /\((.*)\) (\S)/s.exec(readOrEmpty(`${task}/stat`)) ?? [];
    return `    ${name} ${state} ${readOrEmpty(`${task}/syscall`).trim()}`;
  });
  return [`  ${pid} ${shorten(words)}: ${cpuOf(pid) ?? "?"} s of processor`, ...threads];
}

/** Flags of the runtime come first; the file it runs comes last. */
const shorten = (words: readonly string[]): string =>
  (words.length > 4 ? [words[0], "…", ...words.slice(-3)] : words).join(" ");

/** End a process and all that it started, at once. */
export function endTree(pid: number): void {
  for (const one of treeOf(pid)) {
    try {
      process.kill(one, "SIGKILL");
    } catch {
      /* ok to lose: it has ended by itself. */
    }
  }
}

/**
 * Of the time in which the main thread of a process had something to do, the share in which it had a processor: 1 on a machine of its own. Linux only;
 * elsewhere 1.
 *
 * @returns that share since the last call
 */
export function shareOf(pid: number): () => number {
  const read = () => readOrEmpty(`/proc/${pid}/schedstat`).split(" ").map(Number);
  let [ran = 0, waited = 0] = read();
  return () => {
    const [nowRan = 0, nowWaited = 0] = read();
    const run = nowRan - ran;
    const wait = nowWaited - waited;
    [ran, waited] = [nowRan, nowWaited];
    return run + wait > 0 ? run / (run + wait) : 1;
  };
}

/** Living processes that were started with this home. Linux only; elsewhere none is found. */
export const processesOf = (home: string): number[] => processesWith(`AGENT_HOME=${home}`);

/** Living processes with this text in the environment that they were started with. Linux only; elsewhere none is found. */
export function processesWith(variable: string): number[] {
  const pids = readOrNone("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => pid !== process.pid && readOrEmpty(`/proc/${pid}/environ`).includes(variable));
}

function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    /* ok to lose: the process has ended, or the system has no such file. */
    return "";
  }
}

function readOrNone(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    /* ok to lose: the system has no such folder. */
    return [];
  }
}
