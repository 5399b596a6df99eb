/**
 * Leads the session and the process group of one worker. Waits until the owner has recorded its identity, starts the worker, and leaves an
 * exit record behind, so that any later owner knows how the worker ended. Needs nothing but this file and outlives its owner.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { systemCode } from "../lib/base/errors.js";
import { replaceTextFile } from "../lib/base/fs/text-file.js";
import { listProcesses } from "../lib/base/process/process.js";
import {
  type ExitRecord,
  GO,
  lineReader,
  parseLine,
  type RunnerNews,
  type RunnerOrder,
} from "../lib/board/worker-process/runner-messages.js";

let order: RunnerOrder | undefined;
let started = false;

process.stdin.on("data", lineReader(onLine));
// The owner is gone before it could say go: this process is unknown, so it starts nothing.
process.stdin.on("end", () => {
  if (!started) process.exit(0);
});
process.stdin.on("error", () => {
  if (!started) process.exit(0);
});
process.stdout.on("error", () => {
  // The owner has ended. The exit record tells the next one.
});
// A signal to the group is meant for the worker. This process stays to record how the worker took it.
for (const name of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  process.on(name, () => {
    if (!started) process.exit(143);
  });
}

function onLine(line: string): void {
  if (started) return;
  if (line === GO && order) start(order);
  else order = parseLine<RunnerOrder>(line);
}

function start(what: RunnerOrder): void {
  started = true;
  const log = openSync(what.log, "a", 0o600);
  writeSync(log, `${what.header}\n`);
  const worker = spawn(what.file, what.args, { cwd: what.cwd, env: what.env, stdio: ["ignore", log, log] });
  closeSync(log);
  worker.once("error", (error) => {
    if (worker.pid === undefined) failed(what, error);
  });
  if (worker.pid === undefined) return;
  tell({ news: "started", pid: worker.pid });
  watch(what, worker);
}

function failed(what: RunnerOrder, error: Error): void {
  const message = `cannot start ${what.file}: ${error.message}`;
  record(what, { code: null, signal: null, ended_at: now(), error_class: "start", start_error: message });
  tell({ news: "failed", code: systemCode(error) ?? "", message });
  leave();
}

function watch(what: RunnerOrder, worker: ChildProcess): void {
  worker.once("exit", (code, signal) => {
    const errorClass = reportedClass(what.report);
    record(what, { code, signal, ended_at: now(), ...(errorClass ? { error_class: errorClass } : {}) });
    tell({ news: "ended", code, signal });
    endRest(what.graceMs);
  });
}

/** A full disk must not keep the rest of the group alive; without a record the worker counts as gone for an unknown reason. */
function record(what: RunnerOrder, exit: ExitRecord): void {
  try {
    replaceTextFile(what.exit, `${JSON.stringify(exit)}\n`, 0o600);
  } catch (error) {
    const log = openSync(what.log, "a", 0o600);
    writeSync(log, `failed to write the exit record: ${String(error)}\n`);
    closeSync(log);
  }
}

function reportedClass(path: string): string | undefined {
  try {
    return parseLine<{ class?: string }>(readFileSync(path, "utf8"))?.class;
  } catch (error) {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** How long the system may take to end what was killed, in milliseconds. */
const KILLED_MS = 5_000;

/** What the worker left behind goes before this process does: afterwards its origin would be unknown. */
function endRest(graceMs: number): void {
  signalRest("SIGTERM");
  const begun = performance.now();
  const look = (pause: number) => {
    const since = performance.now() - begun;
    if (rest().length === 0 || since > graceMs + KILLED_MS) return leave();
    if (since >= graceMs) signalRest("SIGKILL");
    return setTimeout(() => look(Math.min(pause * 2, 100)), pause);
  };
  look(2);
}

function signalRest(name: "SIGTERM" | "SIGKILL"): void {
  for (const pid of rest()) {
    try {
      process.kill(pid, name);
      // A stopped process takes SIGTERM only when it runs again.
      process.kill(pid, "SIGCONT");
    } catch (error) {
      if (systemCode(error) !== "ESRCH") throw error;
    }
  }
}

/** Living members of this group and session beside this process. */
function rest(): number[] {
  const me = process.pid;
  return listProcesses()
    .filter((row) => !row.zombie && row.pid !== me && (row.group === me || row.session === me))
    .map((row) => row.pid);
}

function tell(news: RunnerNews): void {
  process.stdout.write(`${JSON.stringify(news)}\n`);
}

/** Ends when the report has left. */
function leave(): void {
  process.stdout.write("", () => process.exit(0));
}

function now(): number {
  return Math.floor(Date.now() / 1000);
}
