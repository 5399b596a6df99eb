import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { AGENT, ended, freshEnv, pause, runAgent, startOwner } from "./drive.js";
import { memoryOf, processesOf } from "./processes.js";

const TASK_MS = 60_000;
const LOG_LINES = 20;
const say = (line: string) => process.stdout.write(`${line}\n`);

interface World {
  readonly home: string;
  readonly work: string;
  readonly env: Readonly<Record<string, string>>;
  owner?: ChildProcess;
}

/** Prove the installation with a fresh home, the offline provider, no key and no network. Exit code 1 keeps the home and says what failed. */
export async function tour(): Promise<number> {
  const home = await realpath(await mkdtemp(join(tmpdir(), "agent-tour-")));
  const world: World = { home, work: join(home, "work"), env: freshEnv(home) };
  try {
    await mkdir(world.work);
    await writeFile(join(home, "config.yaml"), "model:\n  provider: offline\n");
    await steps(world);
    await rm(home, { recursive: true });
    say("\neverything works: make test, or agent on a terminal");
    return 0;
  } catch (error) {
    await explain(world, error);
    return 1;
  }
}

async function steps(world: World): Promise<void> {
  await timed("an owner without a screen", async () => {
    world.owner = await startOwner(world.env);
    say(`  pid ${world.owner.pid}, home ${world.home}`);
  });
  await timed("one turn with tools", () => oneTurn(world));
  await timed("one task of the board, worked by a process of its own", () => oneTask(world));
  await timed("looking at what is stored", () => look(world));
  await timed("stopping the owner", () => stop(world));
}

async function timed(what: string, step: () => Promise<void>): Promise<void> {
  say(`\n${what}`);
  const started = performance.now();
  await step();
  say(`  done in ${Math.round(performance.now() - started)} ms`);
}

async function agent(world: World, args: readonly string[], onLine?: (line: string) => void): Promise<string> {
  say(`  $ agent ${args.map((word) => (/^[\w./:=-]+$/.test(word) ? word : JSON.stringify(word))).join(" ")}`);
  const ran = await runAgent(args, { env: world.env, cwd: world.work, deadlineMs: TASK_MS, ...(onLine && { onLine }) });
  if (ran.code !== 0)
    throw new Error(`agent ${args[0]} ended with ${ran.code}: ${ran.stderr.trim() || ran.stdout.trim()}`);
  return ran.stdout;
}

async function oneTurn(world: World): Promise<void> {
  await agent(world, ["-z", "write notes.txt: hello then read notes.txt", "--json"], (line) => {
    const event = parseLine(line);
    if (event.type === "tool.ended") say(`    ${event.name}: ${event.status}`);
    if (event.type === "turn.ended")
      say(`    answer: ${(event.final_response ?? "").trim().replaceAll("\n", "\n            ")}`);
  });
  await mustHold(join(world.work, "notes.txt"), "hello");
}

interface Line {
  readonly type?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly status?: string;
  readonly final_response?: string;
}

/** Lines that are not JSON belong to an error, which the exit code shows. */
function parseLine(line: string): Line {
  try {
    return JSON.parse(line);
  } catch {
    /* ok to lose: the caller looks at the exit code and shows what was printed. */
    return {};
  }
}

async function mustHold(path: string, text: string): Promise<void> {
  const found = await readFile(path, "utf8").catch((error: Error) => `nothing (${error.message})`);
  if (!found.includes(text)) throw new Error(`${path} should hold "${text}" and holds ${found}`);
}

interface Task {
  readonly id: string;
}

async function oneTask(world: World): Promise<void> {
  const words = [
    "kanban",
    "create",
    "write a greeting",
    "--body",
    "write hello.txt: hello from the board",
    "--assignee",
    "default",
  ];
  const made: Task = JSON.parse(await agent(world, [...words, "--workspace", `dir:${world.work}`, "--json"]));
  const kinds = await follow(world, made.id);
  if (!kinds.includes("completed")) throw new Error(`task ${made.id} was not completed: ${kinds.join(", ")}`);
  const shown = JSON.parse(await agent(world, ["kanban", "show", made.id, "--json"]));
  const run: { id?: unknown; outcome?: string; profile?: string } = shown.runs[0];
  say(`    ${made.id} is ${shown.task.status}; run ${String(run.id)} by ${run.profile ?? "default"}: ${run.outcome}`);
  say(`    summary: ${shown.latest_summary}`);
  await mustHold(join(world.work, "hello.txt"), "hello from the board");
}

/** Events that end a task one way or another. */
const LAST = new Set(["completed", "blocked", "protocol_violation", "gave_up", "archived"]);

/** Print each event of the task as it comes, until the last one. */
async function follow(world: World, id: string): Promise<string[]> {
  const kinds: string[] = [];
  const child = spawn(process.execPath, [AGENT, "kanban", "tail", id, "--json"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: world.env,
  });
  const timer = setTimeout(() => child.kill("SIGINT"), TASK_MS);
  createInterface({ input: child.stdout }).on("line", (line) => {
    const event = parseLine(line);
    kinds.push(event.kind ?? "");
    say(`    event ${event.kind}`);
    if (LAST.has(event.kind ?? "")) child.kill("SIGINT");
  });
  await ended(child);
  clearTimeout(timer);
  return kinds;
}

async function look(world: World): Promise<void> {
  const tasks: Task[] = JSON.parse(await agent(world, ["kanban", "list", "--json"]));
  say(`    ${tasks.length} task`);
  const sessions: { sessions?: { id: string; source?: string }[] } | { id: string; source?: string }[] = JSON.parse(
    await agent(world, ["sessions", "list", "--json"]),
  );
  const list = Array.isArray(sessions) ? sessions : (sessions.sessions ?? []);
  say(`    ${list.length} sessions: ${list.map(({ id, source }) => `${id} (${source ?? "?"})`).join(", ")}`);
  const found = await agent(world, ["sessions", "search", "notes", "--json"]);
  if (!found.includes("session_id")) throw new Error("the search does not find the turn");
  const pid = world.owner?.pid;
  const memory = pid === undefined ? undefined : memoryOf(pid);
  if (memory !== undefined) say(`    the owner uses ${Math.round(memory)} MB`);
}

async function stop(world: World): Promise<void> {
  const { owner } = world;
  if (owner === undefined) return;
  const gone = ended(owner);
  await agent(world, ["owner", "stop"]);
  const code = await gone;
  if (code !== 0) throw new Error(`the owner ended with ${code}`);
  await nobodyLives(world);
  const status: { running?: boolean } = JSON.parse(await agent(world, ["owner", "status", "--json"]));
  if (status.running !== false) throw new Error("somebody still owns the home");
}

/** A worker tells its result before it ends, and may outlive its owner for a moment. */
async function nobodyLives({ home }: World): Promise<void> {
  const late = performance.now() + TASK_MS;
  for (let left = processesOf(home); left.length > 0; left = processesOf(home)) {
    if (performance.now() > late) throw new Error(`processes are left: ${left.join(", ")}`);
    await pause(20);
  }
}

/** What failed, the last lines of the logs, and where to look. */
async function explain(world: World, error: unknown): Promise<void> {
  say(`\nfailed: ${error instanceof Error ? error.message : String(error)}`);
  const folder = join(world.home, "logs");
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    const lines = (await readFile(join(folder, name), "utf8").catch(() => "")).trimEnd().split("\n");
    say(`\n${join(folder, name)}:\n${lines.slice(-LOG_LINES).join("\n")}`);
  }
  if (world.owner?.exitCode === null) {
    const gone = ended(world.owner);
    world.owner.kill("SIGTERM");
    await gone;
  }
  say(`\nthe home is kept: ${world.home}`);
}
