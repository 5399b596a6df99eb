import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { hostname } from "node:os";
import { systemCode } from "../errors.js";

/** One row of the system's process table. */
export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  readonly zombie: boolean;
  /** The kernel's start time in its own unit, compared as text only. */
  readonly start: string;
}

const linux = process.platform === "linux";

/** The process with that pid, zombies included; undefined when it does not exist. */
export function findProcess(pid: number): ProcessRow | undefined {
  if (!linux) return parsePs(ps("-p", String(pid)))[0];
  const text = readProc(`/proc/${pid}/stat`);
  return text === undefined ? undefined : parseStat(text);
}

/** Every process that this user can see. */
export function listProcesses(): ProcessRow[] {
  if (!linux) return parsePs(ps("-ax"));
  return pids().flatMap((pid) => findProcess(pid) ?? []);
}

/** Pids whose environment, as it was at their start, has `name=value`. Foreign users' environments cannot be read. Linux only. */
export function pidsWithEnvironment(name: string, value: string): number[] {
  if (!linux) return [];
  // Compared byte by byte: files of `/proc` are read as such.
  const wanted = Buffer.from(`\0${name}=${value}\0`).toString("latin1");
  return pids().filter((pid) => `\0${readProc(`/proc/${pid}/environ`) ?? ""}\0`.includes(wanted));
}

/** Start times of Linux count in these parts of a second, on every machine that it runs on today. */
const TICKS_PER_SECOND = 100;

/** Time since a start time of this boot, in milliseconds; undefined where the system does not tell. */
export function measureProcessAge(start: string): number | undefined {
  const uptime = linux ? Number.parseFloat(readProc("/proc/uptime") ?? "") : Number.NaN;
  const age = (uptime - Number(start) / TICKS_PER_SECOND) * 1000;
  return Number.isFinite(age) ? Math.max(0, age) : undefined;
}

/** Living processes below one, at any depth. */
export function descendantsOf(pid: number): ProcessRow[] {
  const rows = listProcesses().filter((row) => !row.zombie);
  const found: ProcessRow[] = [];
  for (let above = new Set([pid]); above.size > 0; ) {
    const below = rows.filter((row) => above.has(row.parent) && !found.includes(row));
    found.push(...below);
    above = new Set(below.map((row) => row.pid));
  }
  return found;
}

/** Names one start of the system; empty where the system gives none. */
export function readBootId(): string {
  if (linux) return readProc("/proc/sys/kernel/random/boot_id")?.trim() ?? "";
  return run("sysctl", ["-n", "kern.bootsessionuuid"]).trim();
}

/** Names this machine for as long as it is installed; the host name on a machine without an id. */
export function readHostId(): string {
  const id = linux ? (readProc("/etc/machine-id") ?? readProc("/var/lib/dbus/machine-id"))?.trim() : "";
  return id || hostname();
}

/** Fields of `/proc/<pid>/stat`. The name in parentheses may hold blanks and parentheses, so reading begins after the last one. */
export function parseStat(text: string): ProcessRow | undefined {
  const pid = Number.parseInt(text, 10);
  const [state, parent, group, session, ...rest] = text.slice(text.lastIndexOf(")") + 2).split(" ");
  const start = rest[15]; // field 22 of proc(5)
  if (!Number.isInteger(pid) || start === undefined) return undefined;
  return {
    pid,
    parent: Number(parent),
    group: Number(group),
    session: Number(session),
    zombie: state === "Z" || state === "X",
    start,
  };
}

/** Lines of `ps -o pid=,ppid=,pgid=,sess=,stat=,lstart=`. The session is an address there and is not used. */
export function parsePs(text: string): ProcessRow[] {
  return text.split("\n").flatMap((line) => {
    const [pid, parent, group, , state, ...start] = line.trim().split(/\s+/);
    if (!pid || !state) return [];
    const facts = { zombie: state.startsWith("Z"), start: start.join(" ") };
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0, ...facts }];
  });
}

function pids(): number[] {
  return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
}

function ps(...which: string[]): string {
  return run("ps", [...which, "-o", "pid=,ppid=,pgid=,sess=,stat=,lstart="]);
}

/** Output of a system program; empty when it fails, as `ps -p` does for a pid that is gone. */
function run(file: string, args: string[]): string {
  try {
    return execFileSync(file, args, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      env: { ...process.env, LC_ALL: "C", TZ: "UTC" },
    });
  } catch {
    /* ok to lose: no row means no such process, and callers treat that as gone. */
    return "";
  }
}

const GONE = ["ENOENT", "ESRCH", "EACCES", "EPERM", "ENOTDIR"];

/** Text of a file under /proc, each byte a character; undefined when the process ended meanwhile or belongs to another user. */
function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, "latin1");
  } catch (error) {
    if (GONE.includes(systemCode(error) ?? "")) return undefined;
    throw error;
  }
}
