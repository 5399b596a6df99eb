import { readdir, readFile } from "node:fs/promises";
import type { Clock } from "../time/clock.js";
import { type Ms, toUnix, type UnixSeconds } from "../units.js";
import { findProcess, readBootId } from "./process.js";
import type { ProcessId } from "./spawn.js";

/** What the system tells of a living process; null where it does not tell. */
export interface ProcessFacts {
  /** Share of one core just now, in percent. */
  readonly cpu_percent: number | null;
  readonly memory_rss_bytes: number | null;
  readonly num_threads: number | null;
  readonly num_fds: number | null;
  /** Word of the system: running, sleeping, disk-sleep, stopped, zombie, idle. */
  readonly status: string | null;
  readonly create_time: UnixSeconds | null;
  readonly cmdline: readonly string[];
}

/** How long the use of the processor is measured. */
const MEASURE_MS: Ms = 100;
/** Linux counts processor time in these parts of a second. */
const TICKS = 100;
const PAGE_BYTES = 4096;
const STATUS: Readonly<Record<string, string>> = {
  R: "running",
  S: "sleeping",
  D: "disk-sleep",
  T: "stopped",
  t: "stopped",
  Z: "zombie",
  I: "idle",
};

/** Look at a process of this machine. Undefined: it is gone, or its pid is another's now. Elsewhere than on Linux only its existence is known. */
export async function systemProcessFacts(id: ProcessId, clock: Clock): Promise<ProcessFacts | undefined> {
  if (id.start === "" || id.boot !== readBootId() || findProcess(id.pid)?.start !== id.start) return undefined;
  if (process.platform !== "linux") return NOTHING_TOLD;
  const dir = `/proc/${id.pid}`;
  const before = await statOf(dir);
  const from = clock.mono();
  const [fds, cmdline, uptime] = await Promise.all([
    quiet(readdir(`${dir}/fd`)),
    quiet(text(`${dir}/cmdline`)),
    quiet(text("/proc/uptime")),
  ]);
  const now = clock.now();
  await clock.sleep(MEASURE_MS);
  const after = await statOf(dir);
  const took = clock.mono() - from;
  if (before === undefined || after === undefined || after.start !== id.start) return undefined;
  const age = uptime === undefined ? undefined : Number.parseFloat(uptime) - Number(id.start) / TICKS;
  return {
    cpu_percent: Math.max(0, Math.round(((after.ticks - before.ticks) / TICKS / (took / 1000)) * 1000) / 10),
    memory_rss_bytes: after.pages * PAGE_BYTES,
    num_threads: after.threads,
    num_fds: fds?.length ?? null,
    status: STATUS[after.state] ?? after.state,
    create_time: age === undefined ? null : toUnix(now - age * 1000),
    cmdline: (cmdline ?? "").split("\0").filter((word) => word !== ""),
  };
}

const NOTHING_TOLD: ProcessFacts = {
  cpu_percent: null,
  memory_rss_bytes: null,
  num_threads: null,
  num_fds: null,
  status: null,
  create_time: null,
  cmdline: [],
};

const text = (path: string): Promise<string> => readFile(path, "utf8");

/** A process may end between two looks, and what belongs to another user is not shown. */
async function quiet<T>(look: Promise<T>): Promise<T | undefined> {
  try {
    return await look;
  } catch {
    return undefined;
  }
}

interface Stat {
  readonly state: string;
  readonly ticks: number;
  readonly threads: number;
  readonly start: string;
  readonly pages: number;
}

/** Fields of proc(5), counted behind the name in parentheses: it may hold anything. */
async function statOf(dir: string): Promise<Stat | undefined> {
  const line = await quiet(text(`${dir}/stat`));
  const fields = line?.slice(line.lastIndexOf(")") + 2).split(" ");
  if (fields === undefined) return undefined;
  const number = (at: number) => Number(fields[at] ?? 0);
  return {
    state: fields[0] ?? "",
    ticks: number(11) + number(12),
    threads: number(17),
    start: fields[19] ?? "",
    pages: number(21),
  };
}
