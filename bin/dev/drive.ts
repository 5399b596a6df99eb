import { type ChildProcess, spawn } from "node:child_process";
import { connect } from "node:net";
import { resolve } from "node:path";
import { createInterface } from "node:readline";
import { layOutHome } from "../../lib/base/home.js";

/** What a finished process left behind. */
export interface Ran {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
}

export interface RunOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Called for every line of standard output as it comes. */
  readonly onLine?: (line: string) => void;
  /** The process is ended after that. Default 60 s. */
  readonly deadlineMs?: number;
}

export const AGENT = resolve("dist/agent.cjs");

/**
 * The whole environment of a driven process: nothing of the user's home, keys or settings enters. `NODE_EXTRA_CA_CERTS` is left out
 * because it adds 38 ms to every start. `AGENT_PLAIN` stays, so that everything can be measured without the machinery that it switches off.
 */
export function freshEnv(home: string, more: Readonly<Record<string, string>> = {}): Record<string, string> {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home,
    AGENT_HOME: home,
    LANG: "C.UTF-8",
    TMPDIR: process.env["TMPDIR"] ?? "/tmp",
    ...(process.env["AGENT_PLAIN"] === undefined ? {} : { AGENT_PLAIN: process.env["AGENT_PLAIN"] }),
    ...more,
  };
}

/** Run a program to its end. Standard input is empty. */
export async function runProgram(file: string, args: readonly string[], options: RunOptions): Promise<Ran> {
  const started = performance.now();
  const child = spawn(file, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: options.env,
    ...(options.cwd && { cwd: options.cwd }),
  });
  const timer = setTimeout(() => child.kill("SIGKILL"), options.deadlineMs ?? 60_000);
  let stdout = "";
  let stderr = "";
  const { onLine } = options;
  if (onLine) createInterface({ input: child.stdout }).on("line", onLine);
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
    stderr += chunk;
  });
  try {
    const code = await ended(child);
    return { code, stdout, stderr, ms: performance.now() - started };
  } finally {
    clearTimeout(timer);
  }
}

/** Run `agent` to its end. */
export const runAgent = (args: readonly string[], options: RunOptions) =>
  runProgram(process.execPath, [AGENT, ...args], options);

/** A process ended and its pipes are closed. A signal counts as 128. */
export function ended(child: ChildProcess): Promise<number> {
  return new Promise((done, fail) => {
    child.once("error", fail);
    child.once("close", (code) => done(code ?? 128));
  });
}

/** Start an owner that stays, and wait until its socket answers. */
export async function startOwner(
  env: Readonly<Record<string, string>>,
  waitMs = 10_000,
  agent = AGENT,
): Promise<ChildProcess & { readonly log: readonly string[] }> {
  const child = spawn(process.execPath, [agent, "--headless"], { stdio: ["ignore", "pipe", "pipe"], env });
  const log: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on("line", (line) => log.push(line));
  const home = layOutHome(env["AGENT_HOME"] ?? "");
  const until = performance.now() + waitMs;
  while (!(await answers(home.socket))) {
    if (child.exitCode !== null) throw new Error(`agent --headless ended with ${child.exitCode}: ${log.join("\n")}`);
    if (performance.now() > until) throw new Error(`no socket at ${home.socket} after ${waitMs} ms`);
    await pause(10);
  }
  return Object.assign(child, { log });
}

function answers(path: string): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      done(true);
    });
    socket.once("error", () => done(false));
  });
}

export const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
