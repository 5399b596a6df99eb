import { readFileSync, realpathSync } from "node:fs";
import { loginRoot } from "../home.js";
import type { PersonStart } from "./person-starts.js";
import { findProcess } from "./process.js";
import { ranTools, TOOL_MARKS } from "./tool-times.js";

const TICKS_PER_SECOND = 100;

/** No chain of processes is longer. */
const ANCESTORS = 64;

/** The home whose tools are looked for, and its owner where one is known. */
export interface ToolHome {
  readonly dir: string;
  readonly owner?: number | undefined;
  /** What the owner started for a person's settings: this and what it starts do not count as children of a tool. */
  readonly personStarts?: (() => readonly PersonStart[]) | undefined;
}

/**
 * The process that shows that `pid` was started by a tool of the home, at any depth: the owner itself above it, or a process with a mark of the home's
 * tools in its environment. One variable taken away does not help: the processes above have it still. Undefined: none, or what the owner started for a
 * person's settings stands between them.
 */
export function findToolAbove(pid: number, home: ToolHome): number | undefined {
  let at = pid;
  for (let n = 0; n < ANCESTORS && at > 1; n++) {
    if (n > 0 && at === home.owner) return at;
    const row = findProcess(at);
    if (home.personStarts?.().some(({ pid: started, start }) => started === at && start === row?.start))
      return undefined;
    if (isMarked(at, home)) return at;
    const parent = row?.parent;
    // A process that is gone has handed its connection to another one: no front end does.
    if (parent === undefined) return n === 0 ? pid : undefined;
    if (isInit(parent)) return home.owner === process.pid && isOrphan(at) && !hasTerminal(pid) ? at : undefined;
    at = parent;
  }
  return undefined;
}

/** Init, or the manager of a user's services: what has lost its parent goes there. */
const isInit = (pid: number): boolean => pid <= 1 || /^systemd\n?$/.test(textAt(`/proc/${pid}/comm`));

/**
 * It was begun while a tool of this owner ran, in the same control group, as a daemon: a session of its own without a terminal, its parent gone. A
 * process that a tool started and that has taken off every mark looks so; services and logins have control groups of their own.
 */
function isOrphan(pid: number): boolean {
  const row = findProcess(pid);
  if (row === undefined || row.session === 1 || hasTerminal(pid) || !ranTools(Number(row.start) / TICKS_PER_SECOND))
    return false;
  return textAt(`/proc/${pid}/cgroup`) === textAt("/proc/self/cgroup");
}

/** Field 7 of proc(5): its terminal. */
function hasTerminal(pid: number): boolean {
  const line = textAt(`/proc/${pid}/stat`);
  return (line.slice(line.lastIndexOf(")") + 2).split(" ")[4] ?? "0") !== "0";
}

function textAt(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return ""; /* ok to lose: a process that is gone, or a system without /proc, shows nothing */
  }
}

/** Its environment, as it was at its start, has a mark of this home's tools. */
function isMarked(pid: number, home: ToolHome): boolean {
  const entries = environmentOf(pid);
  if (!entries.some((entry) => TOOL_MARKS.some((mark) => entry.startsWith(`${mark}=`)))) return false;
  const dir = entries.find((entry) => entry.startsWith("AGENT_HOME="))?.slice("AGENT_HOME=".length);
  return dir === undefined || rootOf(dir) === rootOf(home.dir);
}

function environmentOf(pid: number): readonly string[] {
  if (pid === process.pid) return Object.entries(process.env).map(([name, value]) => `${name}=${value ?? ""}`);
  return textAt(`/proc/${pid}/environ`).split("\0");
}

/** All profiles of one home share it. */
function rootOf(dir: string): string {
  try {
    return loginRoot({ dir: realpathSync(dir) });
  } catch {
    return loginRoot({ dir }); /* ok to lose: a directory that is gone is compared by its name */
  }
}
