import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { systemClock } from "../base/clock.js";
import { distFile } from "../base/dist.js";
import type { Child } from "../base/spawn.js";
import { systemSpawner as spawner } from "../base/spawn-system.js";
import { boardPlaces } from "../board/places.js";
import { workerFiles } from "../board/runner-files.js";
import type { BoardEvent, Run, Task } from "../proto/board.js";

test("a task typed on the command line is worked by a real worker and recorded as done", async (t) => {
  const { home, cli, owner, ended } = setup(t);
  await owner();
  const id = await cli.create("write hello", "write file hello.txt: hello world");
  const view = await ended(id);
  assert.equal(view.task.status, "done");
  assert.equal(readFileSync(join(view.task.workspace_path ?? "", "hello.txt"), "utf8").trim(), "hello world");
  const [run] = view.runs;
  assert.equal(run?.outcome, "completed");
  assert.match(run?.summary ?? "", /hello\.txt/);
  assert.ok(run?.session_id);
  const kinds = view.events.map((event) => event.kind).filter((kind) => ["created", "claimed", "spawned", "completed"].includes(kind));
  assert.deepEqual(kinds, ["created", "claimed", "spawned", "completed"]);
  const messages = JSON.parse(await cli.run("sessions", "show", run.session_id, "--json"));
  assert.match(JSON.stringify(messages), new RegExp(`work kanban task ${id}`));
  assert.ok(existsSync(boardPlaces(home, "default").log(view.task.id)));
});

test("a worker outlives its owner, finds the next one and finishes: one run, nothing twice", async (t) => {
  const { cli, owner, ended, spawned } = setup(t);
  const first = await owner();
  const id = await cli.create("slow", "run sleep 2\nwrite file out.txt: late");
  await spawned(id);
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  await owner();
  const view = await ended(id);
  assert.deepEqual([view.task.status, view.runs.length], ["done", 1]);
  assert.ok(view.events.some((event) => event.kind === "adopted"));
  assert.equal(readFileSync(join(view.task.workspace_path ?? "", "out.txt"), "utf8").trim(), "late");
});

test("a worker whose lease ends with no owner ends itself; its run is reclaimed uncounted and the task worked again", async (t) => {
  const { home, cli, owner, ended, spawned } = setup(t, "kanban:\n  claim_ttl_seconds: 2\n");
  const first = await owner();
  const id = await cli.create("alone", "run sleep 1\nwrite file out.txt: x");
  await spawned(id);
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  await noWorkers(home);
  await owner();
  const view = await ended(id);
  const [lost] = view.runs;
  assert.deepEqual([lost?.outcome, lost?.exit_code, lost?.end_reason], ["reclaimed", 76, "lease_expired"]);
  assert.deepEqual([view.task.status, view.task.consecutive_failures], ["done", 0]);
});

test("a worker whose task is archived is gone when the command returns", async (t) => {
  const { home, cli, owner, spawned } = setup(t);
  await owner();
  const id = await cli.create("long", "run sleep 600");
  await spawned(id);
  await cli.run("kanban", "archive", id);
  assert.deepEqual(workersOf(home).filter(lives), []);
});

interface View {
  readonly task: Task;
  readonly runs: readonly Run[];
  readonly events: readonly BoardEvent[];
}

function setup(t: TestContext, config = "") {
  const home = mkdtempSync(join(tmpdir(), "worker-"));
  mkdirSync(home, { recursive: true });
  writeFileSync(join(home, "config.yaml"), `model:\n  provider: offline\n${config}`);
  const env = { PATH: process.env["PATH"] ?? "", HOME: home, AGENT_HOME: home };
  const start = async (args: readonly string[]): Promise<Child> =>
    spawner.spawn({ file: process.execPath, args: [distFile("agent.cjs"), ...args], cwd: home, env });
  const owners: Child[] = [];
  t.after(async () => {
    for (const one of owners) await spawner.endGroup(one.pid, 5_000);
    for (const { worker } of workersOf(home)) await spawner.endGroup(worker.pid, 0);
    rmSync(home, { recursive: true, force: true });
  });
  const cli = commandLine(start);
  const show = async (id: string): Promise<View> => JSON.parse(await cli.run("kanban", "show", id, "--json"));
  const until = async (id: string, seen: (view: View) => boolean): Promise<View> => {
    for (;;) {
      const view = await show(id);
      if (seen(view)) return view;
    }
  };
  return {
    home,
    cli,
    owner: async () => {
      const child = await start(["--headless"]);
      owners.push(child);
      await new Promise<void>((resolve) => child.onOutput(() => resolve()));
      return child;
    },
    ended: (id: string) => until(id, ({ task }) => task.status === "done" || task.status === "blocked"),
    spawned: (id: string) => until(id, ({ runs }) => runs.some((run) => run.session_id !== null || run.worker_pid !== null)),
  };
}

function commandLine(start: (args: readonly string[]) => Promise<Child>) {
  const run = async (...args: string[]): Promise<string> => {
    const child = await start(args);
    let text = "";
    let errors = "";
    child.onOutput((chunk, stream) => {
      if (stream === "stdout") text += chunk.toString();
      else errors += chunk.toString();
    });
    await child.closed;
    const { code } = await child.exited;
    assert.equal(code, 0, `${args.join(" ")}: ${errors}`);
    return text;
  };
  const create = async (title: string, body: string): Promise<string> => {
    const made = JSON.parse(await run("kanban", "create", title, "--body", body, "--assignee", "default", "--json"));
    return made.id ?? made.task.id;
  };
  return { run, create };
}

const workersOf = (home: string) => workerFiles(boardPlaces(home, "default"));
const lives = ({ worker }: ReturnType<typeof workersOf>[number]) => spawner.alive(worker);

/** The end of processes that are not ours is told by nothing. */
async function noWorkers(home: string): Promise<void> {
  while (workersOf(home).some(lives)) await systemClock.sleep(20);
}
