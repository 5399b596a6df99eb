import { closeSync, constants, fstatSync, openSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { errorCode } from "../fs/files.js";
import type { Clock } from "../time/clock.js";
import type { Ms } from "../units.js";

interface Reader {
  readonly pid: string;
  readonly fd: string;
}

/** How often the reader is looked at. */
const LOOK_EVERY: Ms = 250;

/**
 * Call `gone` once the pipe at `fd` has lost its reader. A program that writes seldom would otherwise outlive its reader, and the shell would wait
 * for it (`watch | head -2`). A pipe without a name does not show its readers, so its reader is looked for among the processes, and only one that was
 * seen can be missed: one of another user never is, nor one elsewhere than on Linux; there the next write finds out. The returned function stops
 * looking.
 */
export function watchReader(fd: number, clock: Clock, gone: () => void): () => void {
  const isRead = question(fd);
  if (isRead === undefined) return () => undefined;
  let cancel: () => void = () => undefined;
  const look = () => {
    if (isRead()) cancel = clock.after(LOOK_EVERY, look);
    else gone();
  };
  look();
  return () => cancel();
}

/** What shows whether the pipe is read; undefined when that is unknown. */
function question(fd: number): (() => boolean) | undefined {
  const path = pipeAt(fd);
  if (path === undefined) return undefined;
  if (!path.startsWith("pipe:")) return () => opens(`/proc/self/fd/${fd}`);
  let reader = findReader(path);
  if (reader === undefined) return undefined;
  return () => {
    if (reader !== undefined && !holds(reader, path)) reader = findReader(path);
    return reader !== undefined;
  };
}

/** A pipe with a name is opened for writing at once only while it has a reader. */
function opens(path: string): boolean {
  try {
    closeSync(openSync(path, constants.O_WRONLY | constants.O_NONBLOCK));
    return true;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return errorCode(error) !== "ENXIO";
  }
}

/** Name of the pipe that is open at `fd`: `pipe:[4711]`, or a path; undefined when it is none, or the system does not tell. */
function pipeAt(fd: number): string | undefined {
  try {
    return fstatSync(fd).isFIFO() ? readlinkSync(`/proc/self/fd/${fd}`) : undefined;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

/** A process that may read the pipe. */
function findReader(pipe: string): Reader | undefined {
  const own = String(process.pid);
  for (const pid of names("/proc")) {
    if (!/^\d+$/.test(pid) || pid === own) continue;
    for (const fd of names(`/proc/${pid}/fd`)) {
      if (target(pid, fd) === pipe && mayRead(pid, fd)) return { pid, fd };
    }
  }
  return undefined;
}

/** Still there; one that took on another user's rights cannot be looked into, and is there. */
function holds({ pid, fd }: Reader, pipe: string): boolean {
  const found = target(pid, fd);
  return found === "hidden" || found === pipe;
}

function target(pid: string, fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${fd}`);
  } catch (error) {
    const code = errorCode(error);
    if (code === undefined) throw error;
    return code === "EACCES" || code === "EPERM" ? "hidden" : undefined;
  }
}

/** The lowest two bits of its flags say how it is open: 1 is for writing only. */
function mayRead(pid: string, fd: string): boolean {
  try {
    const flags = /^flags:\s+([0-7]+)$/m.exec(readFileSync(`/proc/${pid}/fdinfo/${fd}`, "utf8"))?.[1];
    return flags !== undefined && (Number.parseInt(flags, 8) & 3) !== 1;
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return false;
  }
}

function names(dir: string): string[] {
  try {
    return readdirSync(dir);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return [];
  }
}
