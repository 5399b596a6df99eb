import type { ChildProcess } from "node:child_process";
import { closeSync, existsSync, openSync } from "node:fs";
import { Duplex, Readable, Writable } from "node:stream";
import { assert, systemCode } from "../errors.js";
import { systemClock } from "../time/clock.js";
import type { Ms } from "../units.js";
import { findNamespace, type Namespace } from "./namespace.js";
import { beginWatching, watchOver } from "./owner-watch.js";
import { notePersonStart } from "./person-starts.js";
import {
  descendantsOf,
  findProcess,
  listProcesses,
  measureProcessAge,
  type ProcessRow,
  pidsWithEnvironment,
  readBootId,
  readHostId,
} from "./process.js";
import { leadersOf } from "./session-leaders.js";
import type { Child, Exit, ProcessId, Spawner, SpawnSpec } from "./spawn.js";
import { gateStart, isStartable } from "./start-gate.js";
import { noteToolStart } from "./tool-times.js";

/** How long after SIGKILL the last member of a group may take to go (board part, 7.8). */
const KILLED_WITHIN: Ms = 10_000;
/** Longest pause between two looks at a group that is ending. */
const LOOK_EVERY: Ms = 100;

let boot: string | undefined;
let host: string | undefined;

/** Processes of this machine. */
export const systemSpawner: Spawner = {
  spawn,
  identify,
  alive: (id) => id.start !== "" && id.boot === bootId() && identify(id.pid)?.start === id.start,
  age: (id) => (id.start === "" || id.boot !== bootId() ? undefined : measureProcessAge(id.start)),
  members,
  descendants: (pid) => descendantsOf(pid).map((row) => ({ pid: row.pid, start: row.start, boot: bootId() })),
  marked: (name, value) => pidsWithEnvironment(name, value),
  leaders: () => leadersOf(bootId()),
  signal,
  endGroup,
  get boot() {
    return bootId();
  },
  get host() {
    host ??= readHostId();
    return host;
  },
};

function bootId(): string {
  boot ??= readBootId();
  return boot;
}

async function spawn(spec: SpawnSpec): Promise<Child> {
  const opened: number[] = [];
  try {
    const { spawn: start } = await import("node:child_process"); // most commands start nothing
    if (spec.endsWithOwner === true) beginWatching(start);
    const ended = noteToolStart(spec.env);
    const stdio = stdioOf(spec, opened);
    const waits = spec.feed !== undefined; // a cage without its options starts nothing
    const gated = spec.endsWithOwner === true && !waits && isStartable(spec);
    const { file, args, env } = gated ? gateStart(spec, stdio.length) : spec;
    const child = start(file, args, {
      cwd: spec.cwd,
      env: { ...env },
      detached: spec.group ?? true,
      stdio: gated ? [...stdio, "pipe"] : stdio,
      windowsHide: true,
    });
    if (ended !== undefined) child.once("exit", ended);
    if (child.pid === undefined) {
      ended?.();
      throw await failure(child, spec);
    }
    // Its pid cannot be used again before its end is seen here.
    if (spec.forPerson === true)
      child.once("exit", notePersonStart({ pid: child.pid, start: findProcess(child.pid)?.start ?? "" }));
    const wrapped = wrap(child, child.pid);
    if (spec.endsWithOwner === true) {
      const watched = watchOver({ pid: child.pid, start: findProcess(child.pid)?.start ?? "" }, start);
      child.once("exit", watched.release);
      await watched.known;
    }
    if (gated) release(child, "go\n");
    else if (spec.feed !== undefined) release(child, spec.feed);
    return wrapped;
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** Files are opened here and closed by the caller once the child has its copies. */
function stdioOf(spec: SpawnSpec, opened: number[]): ("pipe" | "ignore" | number)[] {
  const open = (path: string) => {
    const fd = openSync(path, "a", 0o600);
    opened.push(fd);
    return fd;
  };
  const stdout = spec.stdout ?? "pipe";
  const stderr = spec.stderr === "stdout" ? stdout : (spec.stderr ?? "pipe");
  const out = typeof stdout === "string" ? stdout : open(stdout.append);
  const sameFile = spec.stderr === "stdout" && typeof out === "number";
  const three = [
    spec.stdin ?? "ignore",
    out,
    sameFile ? out : typeof stderr === "string" ? stderr : open(stderr.append),
  ] as const;
  const channel = spec.channel === true ? "pipe" : "ignore";
  if (spec.feed !== undefined) return [...three, channel, channel, "pipe"];
  return spec.channel === true ? [...three, "pipe", "pipe"] : [...three];
}

/** Send a child what it waits for at its last pipe. */
function release({ stdio }: ChildProcess, text: string): void {
  const to = stdio.at(-1);
  if (!(to instanceof Duplex)) return;
  to.resume(); // its end is the end of this pipe
  to.end(text);
}

/** The system says ENOENT for a missing program and for a missing directory alike; the message tells which it was. */
function failure(child: ChildProcess, spec: SpawnSpec): Promise<Error> {
  return new Promise((resolve) => {
    child.once("error", (error) => {
      if (systemCode(error) === "ENOENT" && !existsSync(spec.cwd))
        error.message = `cannot start ${spec.file}: no such directory ${spec.cwd}`;
      resolve(error);
    });
  });
}

function wrap(child: ChildProcess, pid: number): Child {
  let known: ProcessId | undefined;
  const ended = () => child.exitCode !== null || child.signalCode !== null;
  for (const stream of child.stdio) stream?.on("error", ignorePipeError);
  child.on("error", ignorePipeError);
  return {
    pid,
    get id() {
      // Until its end is seen here the pid cannot be used again, so what /proc shows is this child, zombie or not.
      known ??= { pid, start: ended() ? "" : (findProcess(pid)?.start ?? ""), boot: bootId() };
      return known;
    },
    exited: new Promise<Exit>((resolve) => child.once("exit", (code, name) => resolve({ code, signal: name }))),
    closed: new Promise<void>((resolve) => child.once("close", () => resolve())),
    outputEnded: new Promise<void>((resolve) => {
      if (child.stdout === null) resolve();
      else child.stdout.once("close", () => resolve());
    }),
    onOutput: (listener) => {
      child.stdout?.on("data", (chunk: Buffer) => listener(chunk, "stdout"));
      child.stderr?.on("data", (chunk: Buffer) => listener(chunk, "stderr"));
    },
    write: (bytes) => child.stdin?.write(bytes) ?? false,
    closeInput: () => {
      child.stdin?.end();
    },
    unref: () => unref(child),
    ...channelOf(child),
  };
}

function channelOf({ stdio: [, , , to, from] }: ChildProcess): Pick<Child, "channel"> {
  if (!(to instanceof Writable && from instanceof Readable)) return {};
  return {
    channel: {
      send: (text) => to.write(text),
      onData: (listener) => {
        from.on("data", listener);
      },
    },
  };
}

/** A pipe whose other end is gone shows in `exited` and `closed`; there is nothing else to do about it. */
function ignorePipeError(): void {
  // The listener itself is the point: without one the event would end this process.
}

function unref(child: ChildProcess): void {
  child.unref();
  for (const stream of child.stdio) {
    if (stream && "unref" in stream && typeof stream.unref === "function") stream.unref();
  }
}

function identify(pid: number): ProcessId | undefined {
  const row = findProcess(pid);
  return row && !row.zombie ? { pid, start: row.start, boot: bootId() } : undefined;
}

/** Living members of the group, of the session it leads (a shell with job control gives its children groups of their own), and of the namespace. */
function rowsOf(group: number): { readonly rows: readonly ProcessRow[]; readonly namespace: Namespace | undefined } {
  const all = listProcesses().filter((row) => !row.zombie);
  const rows = all.filter((row) => row.group === group || row.session === group);
  const namespace = rows.length === 0 ? undefined : findNamespace(group, all);
  if (namespace === undefined) return { rows, namespace };
  return { rows: [...new Set([...rows, namespace.init, ...namespace.inside])], namespace };
}

function members(group: number): readonly number[] {
  return rowsOf(group).rows.map((row) => row.pid);
}

function signal(target: { group: number } | { pid: number }, name: "SIGTERM" | "SIGKILL" | "SIGINT"): boolean {
  if ("pid" in target) return send(target.pid, name);
  const { rows, namespace } = rowsOf(target.group);
  if (rows.length === 0) return false;
  if (namespace !== undefined) return signalInside(namespace, target.group, name);
  send(target.group, name, true);
  for (const row of rows) {
    if (row.group !== target.group) send(row.pid, name);
    // A stopped process keeps SIGTERM for later; it must run to end itself.
    if (name !== "SIGKILL") send(row.pid, "SIGCONT");
  }
  return true;
}

/** The watcher gets SIGKILL alone: with its end everything inside would be killed. */
function signalInside({ init, inside }: Namespace, group: number, name: "SIGTERM" | "SIGKILL" | "SIGINT"): boolean {
  if (name === "SIGKILL") {
    send(init.pid, name);
    return send(group, name, true);
  }
  for (const row of inside) {
    send(row.pid, name);
    send(row.pid, "SIGCONT");
  }
  return true;
}

function send(id: number, name: NodeJS.Signals, group = false): boolean {
  assert(Number.isInteger(id) && id > 1, "0, 1 and -1 name this group, init and everything, never a child");
  try {
    return process.kill(group ? -id : id, name);
  } catch (error) {
    if (systemCode(error) === "ESRCH" || systemCode(error) === "EPERM") return false;
    throw error;
  }
}

async function endGroup(group: number, grace: Ms, abort?: AbortSignal): Promise<boolean> {
  const asked = systemClock.mono();
  await endBesidesFirst(group, grace, abort);
  const left = Math.max(0, grace - (systemClock.mono() - asked));
  for (const [name, wait] of [
    ["SIGTERM", left],
    ["SIGKILL", KILLED_WITHIN],
  ] as const) {
    if (members(group).length === 0) return true;
    if (abort?.aborted) return false;
    signal({ group }, name);
    if (await emptied(group, wait, abort)) return true;
  }
  return false;
}

/**
 * With its first process everything in a namespace is killed. So that is stopped until what it has started has had its time to end, and asked then.
 */
async function endBesidesFirst(group: number, grace: Ms, abort: AbortSignal | undefined): Promise<void> {
  const { namespace } = rowsOf(group);
  const first = namespace?.first;
  const others = namespace?.inside.filter((row) => row !== first) ?? [];
  if (first === undefined || others.length === 0 || grace === 0) return;
  send(first.pid, "SIGSTOP");
  for (const { pid } of others) {
    send(pid, "SIGTERM");
    send(pid, "SIGCONT");
  }
  const gone = () => rowsOf(group).namespace?.inside.every((row) => row.pid === first.pid) !== false;
  await until(gone, grace, abort);
}

/** Looks after 2, 4, 8 ... ms: the system reports the end of no process but our own children. */
function emptied(group: number, within: Ms, abort: AbortSignal | undefined): Promise<boolean> {
  return until(() => members(group).length === 0, within, abort);
}

async function until(holds: () => boolean, within: Ms, abort: AbortSignal | undefined): Promise<boolean> {
  const end = systemClock.mono() + within;
  for (let pause = 2; ; pause = Math.min(pause * 2, LOOK_EVERY)) {
    const left = end - systemClock.mono();
    if (left <= 0 || abort?.aborted) return holds();
    if (await interrupted(Math.min(pause, left), abort)) return false;
    if (holds()) return true;
  }
}

async function interrupted(ms: Ms, abort: AbortSignal | undefined): Promise<boolean> {
  try {
    await systemClock.sleep(ms, abort);
    return false;
  } catch {
    /* ok to lose: the only rejection is the abort itself. */
    return true;
  }
}
