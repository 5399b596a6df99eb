import type { ChildProcess } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../../fixtures/servers/model/server.js";
import { type Client, connect } from "../../lib/backplane/client.js";
import { layOutHome } from "../../lib/base/home.js";
import { AGENT, ended, freshEnv, type Ran, runAgent, runProgram, startOwner } from "./drive.js";

/** A home of its own, a model server, and perhaps an owner. */
export interface BenchWorld {
  readonly home: string;
  readonly env: Readonly<Record<string, string>>;
  readonly model: ModelServer;
  owner: ChildProcess | undefined;
}

/** Make a home whose provider is a scripted server of this process. `scripts`: those that are not built in; `more`: lines of its settings. */
export async function openWorld(
  script: string,
  scripts: NonNullable<ModelServerOptions["scripts"]> = {},
  more = "",
): Promise<BenchWorld> {
  const home = await mkdtemp(join(tmpdir(), "agent-bench-"));
  const model = await startModelServer({ scripts });
  const settings = `model:\n  provider: custom\n  base_url: ${model.url}\n  default: script:${script}\n  context_length: 128000\n${more}`;
  await writeFile(join(home, "config.yaml"), settings);
  return { home, env: freshEnv(home), model, owner: undefined };
}

export async function closeWorld(world: BenchWorld): Promise<void> {
  await stopOwner(world);
  await world.model.close();
  await rm(world.home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

export async function bringOwner(world: BenchWorld): Promise<void> {
  world.owner = await startOwner(world.env);
}

export async function stopOwner(world: BenchWorld): Promise<void> {
  const { owner } = world;
  if (owner === undefined) return;
  const gone = ended(owner);
  owner.kill("SIGTERM");
  await gone;
  world.owner = undefined;
}

/** A connection to the owner of the world. */
export async function clientOf(world: BenchWorld): Promise<Client> {
  const client = await connect(layOutHome(world.home), { kind: "cli", version: "bench" });
  if (client === undefined) throw new Error("no owner listens");
  return client;
}

/** Time of one run of `agent`, which must succeed. */
export async function timeAgent(world: BenchWorld, args: readonly string[]): Promise<number> {
  return mustSucceed(args.join(" "), await runAgent(args, { env: world.env, cwd: world.home }));
}

/** Time of one run of bare Node. */
export async function timeNode(args: readonly string[]): Promise<number> {
  return mustSucceed(args.join(" "), await runProgram(process.execPath, args, { env: freshEnv("/nonexistent") }));
}

function mustSucceed(what: string, ran: Ran): number {
  if (ran.code !== 0)
    throw new Error(`${what} ended with ${ran.code}: ${ran.stderr.trim() || ran.stdout.trim().slice(0, 500)}`);
  return ran.ms;
}

export { AGENT };
