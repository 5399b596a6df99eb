import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startModelServer } from "../../fixtures/servers/model/server.js";
import { freshEnv, runAgent } from "./drive.js";

/** Runs that stand for what short commands load. */
const RUNS: readonly (readonly string[])[] = [
  ["kanban", "create", "warm", "--triage", "--json"],
  ["kanban", "list", "--json"],
  ["-z", "hello"],
];

/** Name of the file beside the chunks; bin/code-cache.ts reads it. */
export const CODE_CACHE = "code-cache.bin";
const FILE = join("dist", CODE_CACHE);

/** Let the built program remember its compiled code. What goes wrong here costs milliseconds later and fails nothing. */
export async function warmCodeCache(): Promise<void> {
  if (!existsSync(join("dist", "cli.cjs"))) return;
  const home = await mkdtemp(join(tmpdir(), "agent-warm-"));
  await rm(FILE, { force: true });
  const model = await startModelServer();
  const settings = `model:\n  provider: custom\n  base_url: ${model.url}\n  default: script:echo\n  context_length: 128000\n`;
  await writeFile(join(home, "config.yaml"), settings);
  for (const args of RUNS) {
    const ran = await runAgent(args, { env: freshEnv(home, { AGENT_CODE_CACHE: "write" }), cwd: home, deadlineMs: 20_000 });
    if (ran.code !== 0) process.stdout.write(`no code cache from agent ${args.join(" ")}: ${ran.stderr.trim() || ran.stdout.trim()}\n`);
  }
  await model.close();
  await rm(home, { recursive: true, force: true });
}

/** The cache belongs to the present build. */
export const hasCodeCache = (): boolean => existsSync(FILE);
