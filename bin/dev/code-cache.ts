import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { HINTS_FILE, type Hints } from "../compile-ahead.js";
import type { EngineFile } from "../thin-set.js";
import { AGENT, ended, freshEnv, runAgent, runProgram } from "./drive.js";
import { compiledIn, hintsFor } from "./wasm-hints.js";

/** Runs that stand for what short commands load. */
const RUNS = [
  ["kanban", "create", "warm", "--triage", "--json"],
  ["kanban", "list", "--json"],
  ["-z", "hello"],
  ["sessions", "list"],
] as const;

/** Names of the files beside the chunks; bin/code-cache.ts reads them. */
export const CODE_CACHES = ["code-cache.bin", "code-cache-ahead.bin", "code-cache-screen.bin", HINTS_FILE] as const;
const FILES = CODE_CACHES.map((name) => join("dist", name));

/** Let the built program remember its compiled code. What goes wrong here costs milliseconds later and fails nothing. */
export async function warmCodeCache(): Promise<void> {
  if (!existsSync(join("dist", "cli.cjs"))) return;
  const home = await mkdtemp(join(tmpdir(), "agent-warm-"));
  for (const file of FILES) await rm(file, { force: true });
  const model = await startModelServer();
  const settings = (script: string) =>
    `model:\n  provider: custom\n  base_url: ${model.url}\n  default: script:${script}\n  context_length: 128000\n`;
  await writeFile(join(home, "config.yaml"), settings("echo"));
  const env = freshEnv(home, { AGENT_CODE_CACHE: "write" });
  await runAgent(RUNS[0], { env: freshEnv(home), cwd: home }); // a home that is there, for runs that look at one
  await writeHints(home);
  for (const args of RUNS) {
    const ran = await runAgent(args, { env, cwd: home, deadlineMs: 20_000 });
    if (ran.code !== 0) process.stdout.write(`no code cache from agent ${args.join(" ")}: ${ran.stderr.trim() || ran.stdout.trim()}\n`);
  }
  await writeFile(join(home, "config.yaml"), settings("stream"));
  await warmScreen(freshEnv(home, { AGENT_CODE_CACHE: "write", TERM: "xterm-256color" }), home);
  await model.close();
  await rm(home, { recursive: true, force: true });
}

/** Runs that use much of an engine. */
const ENGINES: Readonly<Record<EngineFile, readonly (readonly string[])[]>> = {
  "sql-wasm.wasm": [RUNS[0], RUNS[1], ["kanban", "list", "--json", "--limit", "200"]],
  "node-sqlite3-wasm.wasm": [RUNS[3]],
};

/** Note which functions of the engines commands use: those that the runtime, which compiles at the first call, has compiled in these runs. */
async function writeHints(home: string): Promise<void> {
  const hints: [string, Hints][] = [];
  for (const [file, runs] of Object.entries(ENGINES)) {
    const used = new Set<number>();
    for (const args of runs) {
      const log = join(home, "compiled.log");
      const flags = ["--log-code", "--no-logfile-per-isolate", `--logfile=${log}`];
      await runProgram(process.execPath, [...flags, AGENT, ...args], { env: freshEnv(home), cwd: home, deadlineMs: 20_000 });
      if (existsSync(log)) for (const at of compiledIn(await readFile(log, "latin1"))) used.add(at);
      await rm(log, { force: true });
    }
    if (used.size > 0) hints.push([file, hintsFor(await readFile(join("dist", file)), used)]);
  }
  await writeFile(join("dist", HINTS_FILE), JSON.stringify(Object.fromEntries(hints)));
}

const SCREEN_MS = 20_000;

/** A whole screen, as the owner, on a terminal that `script` makes. Where there is no such program the screen starts as it would without. */
async function warmScreen(env: Readonly<Record<string, string>>, cwd: string): Promise<void> {
  const child = spawn("script", ["-qfec", `echo pid $$; exec ${process.execPath} ${AGENT}`, "/dev/null"], {
    ...{ env, cwd },
    stdio: ["pipe", "pipe", "ignore"],
  });
  const late = setTimeout(() => child.kill(), SCREEN_MS);
  let shown = "";
  let pid: number | undefined;
  let step: "start" | "turn" | "end" = "start";
  child.stdin.on("error", () => undefined); // it has ended: seen below
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    shown += piece;
    pid ??= Number(/pid (\d+)/.exec(shown)?.[1]);
    if (step === "start" && shown.includes("›")) {
      step = "turn";
      child.stdin.write("stream 4\r");
    } else if (step === "turn" && shown.includes("THE-END")) {
      step = "end";
      process.kill(pid, "SIGTERM");
    }
  });
  await ended(child).catch(() => 1); // there is no such program
  clearTimeout(late);
}

/** The caches belong to the present build. That of the screen may not be possible here. */
export const hasCodeCache = (): boolean => existsSync(join("dist", CODE_CACHES[0]));
