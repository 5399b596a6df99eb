import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { codeOf } from "../../lib/base/compiled.js";
import { AGENT, ended, freshEnv, runAgent } from "./drive.js";

/** Runs that stand for what short commands load. */
const RUNS = [
  ["kanban", "create", "warm", "--triage", "--json"],
  ["kanban", "list", "--json"],
  ["-z", "hello"],
  ["sessions", "list"],
  ["cron", "list"],
  ["config", "check"],
] as const;

/** Names of the files beside the chunks; bin/code-cache.ts and lib/base/compiled.ts read them. */
export const CODE_CACHES = [
  "code-cache.bin",
  ...["code-cache-board.bin", "code-cache-turn.bin", "code-cache-screen.bin"],
  ...[codeOf("sql-wasm.wasm"), codeOf("node-sqlite3-wasm.wasm")],
] as const;
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
  const engines = freshEnv(home, { AGENT_CODE_CACHE: "engines" });
  for (const args of [...RUNS, ...MORE_OF_ENGINES]) await warmedBy(args, engines, home);
  // First what is needed becomes known, then what is remembered of it.
  for (const args of [...RUNS, ...RUNS]) await warmedBy(args, env, home);
  await writeFile(join(home, "config.yaml"), settings("stream"));
  await warmScreen(freshEnv(home, { AGENT_CODE_CACHE: "write", TERM: "xterm-256color" }), home);
  await model.close();
  await rm(home, { recursive: true, force: true });
}

/** Runs that use more of an engine; each adds to what those before it have noted. */
const MORE_OF_ENGINES = [
  ["kanban", "list", "--json", "--limit", "200"],
  ["-z", "hello again"],
] as const;

async function warmedBy(args: readonly string[], env: Readonly<Record<string, string>>, cwd: string): Promise<void> {
  const ran = await runAgent(args, { env, cwd, deadlineMs: 20_000 });
  if (ran.code !== 0) process.stdout.write(`no code cache from agent ${args.join(" ")}: ${ran.stderr.trim() || ran.stdout.trim()}\n`);
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
  let step: "start" | "turn" | "end" = "start";
  child.stdin.on("error", () => undefined); // it has ended: seen below
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    shown += piece;
    if (step === "start" && shown.includes("›")) {
      step = "turn";
      child.stdin.write("stream 4\r");
    } else if (step === "turn" && shown.includes("THE-END")) {
      step = "end";
      process.kill(pidIn(shown), "SIGTERM");
    }
  });
  await ended(child).catch(() => 1); // there is no such program
  clearTimeout(late);
}

/** Told on a line of its own before the screen; looked for when all of that line has come. */
const pidIn = (shown: string): number => Number(/pid (\d+)\s/.exec(shown)?.[1]);

/** The caches belong to the present build. That of the screen may not be possible here. */
export const hasCodeCache = (): boolean => existsSync(join("dist", CODE_CACHES[0]));
