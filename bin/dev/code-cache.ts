import { spawn } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { type CodeKind, codeCacheOf } from "../../lib/base/perf/code-cache.js";
import { RUNTIME } from "../../lib/base/runtime.js";
import { ended, freshEnv, runProgram } from "./drive.js";
import { endTree } from "./processes.js";

/** Runs that stand for what short commands load. */
const RUNS = [
  ["kanban", "create", "warm", "--triage", "--json"],
  ["kanban", "list", "--json"],
  ["kanban", "boards", "list"],
  ["-z", "hello"],
  ["sessions", "list"],
  ["cron", "list"],
  ["config", "check"],
] as const;

const KINDS: readonly CodeKind[] = ["short", "board", "boards", "look", "turn", "screen"];
/** Names of the files beside the chunks. */
export const CODE_CACHES = KINDS.map(codeCacheOf);
/** Written last of all, and names the runtime: without it some of them may be missing, and the next build writes all of them again. */
const WHOLE = "code-cache.whole";
/** All that may not outlive a build. */
export const CODE_FILES = [...CODE_CACHES, WHOLE] as const;

/**
 * Let the program that was built into `folder` remember its compiled code. What goes wrong here costs milliseconds later and fails nothing.
 *
 * @param more Variables of its runs
 */
export async function warmCodeCache(folder: string, more: Env = {}): Promise<void> {
  if (!existsSync(join(folder, "cli.cjs"))) return;
  const home = await mkdtemp(join(tmpdir(), "agent-warm-"));
  for (const name of CODE_FILES) await rm(join(folder, name), { force: true });
  const model = await startModelServer();
  const settings = (script: string) =>
    `model:\n  provider: custom\n  base_url: ${model.url}\n  default: script:${script}\n  context_length: 128000\n`;
  const place: Place = { agent: resolve(folder, "agent.cjs"), home };
  await writeFile(join(home, "config.yaml"), settings("echo"));
  const env = freshEnv(home, { ...more, AGENT_CODE_CACHE: "write" });
  await runProgram(process.execPath, [place.agent, ...RUNS[0]], { env: freshEnv(home), cwd: home }); // a home that is there, for runs that look at one
  let whole = true;
  // First what is needed becomes known, then what is remembered of it.
  for (const args of [...RUNS, ...RUNS]) whole = (await warmedBy(place, args, env)) && whole;
  await writeFile(join(home, "config.yaml"), settings("stream"));
  whole = (await warmScreen(place, { ...env, TERM: "xterm-256color" })) && whole;
  if (whole) await writeFile(join(folder, WHOLE), RUNTIME);
  await model.close();
  await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }); // what was too late may still be ending
}

interface Place {
  /** The program. */
  readonly agent: string;
  readonly home: string;
}

type Env = Readonly<Record<string, string>>;

/** @returns whether it came to its end, and so wrote what it remembers */
async function warmedBy({ agent, home }: Place, args: readonly string[], env: Env): Promise<boolean> {
  const ran = await runProgram(process.execPath, [agent, ...args], { env, cwd: home, deadlineMs: RUN_MS });
  if (ran.code === 0) return true;
  const why = ran.ms >= RUN_MS ? `it took longer than ${RUN_MS} ms` : ran.stderr.trim() || ran.stdout.trim();
  process.stdout.write(`no code cache from agent ${args.join(" ")}: ${why}\n`);
  return false;
}

const RUN_MS = 20_000;
const SCREEN_MS = 20_000;

/**
 * A whole screen, as the owner, on a terminal that `script` makes. Without that program the screen starts as it would without.
 *
 * @returns false when it did not come to its end
 */
async function warmScreen({ agent, home }: Place, env: Env): Promise<boolean> {
  const child = spawn("script", ["-qfec", `echo pid $$; exec ${process.execPath} ${agent}`, "/dev/null"], {
    env,
    cwd: home,
    stdio: ["pipe", "pipe", "ignore"],
  });
  let ran = true;
  const late = setTimeout(() => {
    ran = false;
    process.stdout.write(`no code cache of the screen: it took longer than ${SCREEN_MS} ms\n`);
    // A screen that was stopped takes no other signal, and has stopped the program that shows it.
    if (child.pid !== undefined) endTree(child.pid);
  }, SCREEN_MS);
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
  await ended(child).catch(() => 1); // the program is not installed
  clearTimeout(late);
  return ran;
}

/** Told on a line of its own before the screen; looked for when all of that line has come. */
export const pidIn = (shown: string): number => Number(/pid (\d+)\s/.exec(shown)?.[1]);

/** The caches belong to the present build and runtime, and none was cut short. That of the screen may not be possible here. */
export const hasCodeCache = (folder: string): boolean =>
  [codeCacheOf("short"), WHOLE].every((name) => existsSync(join(folder, name))) &&
  readFileSync(join(folder, WHOLE), "utf8") === RUNTIME;
