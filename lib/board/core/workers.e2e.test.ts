import assert from "node:assert/strict";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, watch } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { eventually } from "../../../fixtures/e2e/eventually.js";
import { DEFAULT_BOARD as BOARD, type BoardOwner, openBoardOwner } from "../../../fixtures/worlds/board-owner.js";
import { distFile } from "../../base/fs/dist.js";
import { randomIds } from "../../base/ids.js";
import type { Child } from "../../base/process/spawn.js";
import { systemSpawner as spawner } from "../../base/process/spawn-system.js";
import { systemClock } from "../../base/time/clock.js";
import type { TaskId } from "../../base/units.js";
import type { Actor, ClaimFile, Run } from "../../contracts/board/board.js";
import { workerFiles } from "../worker-process/runner-files.js";
import { boardPlaces } from "./places.js";

const HUMAN: Actor = { kind: "human", name: "user" };
const SCRIPT = join(process.cwd(), "fixtures/workers/scripted.sh");
const HOME = { PATH: process.env["PATH"] ?? "", HOME: tmpdir(), SECRET_OF_OWNER: "x" };

interface Ending {
  readonly mode: string;
  readonly outcome: string;
  readonly status: string;
  readonly counted: number;
}

const endings: Ending[] = [
  { mode: "exit0", outcome: "protocol_violation", status: "blocked", counted: 1 },
  { mode: "exit1", outcome: "crashed", status: "ready", counted: 1 },
  { mode: "exit64", outcome: "spawn_failed", status: "ready", counted: 1 },
  { mode: "exit75", outcome: "rate_limited", status: "ready", counted: 0 },
  { mode: "exit76", outcome: "reclaimed", status: "ready", counted: 0 },
  { mode: "signal", outcome: "crashed", status: "ready", counted: 1 },
  { mode: "leaves", outcome: "crashed", status: "ready", counted: 1 },
  { mode: "escapes-and-dies", outcome: "crashed", status: "ready", counted: 1 },
];

for (const { mode, outcome, status, counted } of endings) {
  test(`a worker that does "${mode}" is settled as ${outcome}, and nothing of it is left`, async (t) => {
    const { owner, create, dir } = await setup(t, mode);
    const id = await create("one");
    await owner.dispatcher.pass({});
    const run = await settled(owner, id);
    assert.equal(run.outcome, outcome);
    const task = await owner.board.task(BOARD, id);
    assert.deepEqual([task.status, task.consecutive_failures], [status, counted]);
    assert.deepEqual(spawner.marked("FAKE_DIR", dir), []);
  });
}

for (const mode of ["hang", "deaf", "stopped", "forks", "escapes"]) {
  test(`a worker that does "${mode}" is gone when reclaim returns`, async (t) => {
    const { owner, create, dir, up } = await setup(t, mode);
    const id = await create("one");
    await owner.dispatcher.pass({});
    await up();
    const { task } = await owner.board.reclaim(BOARD, id, "x", HUMAN);
    assert.deepEqual(spawner.marked("FAKE_DIR", dir), []);
    assert.equal(task.status, "ready");
    const { events } = await owner.board.show(BOARD, id);
    const reclaimed = events.find((event) => event.kind === "reclaimed");
    assert.equal(reclaimed?.payload["terminated"], true);
  });
}

test("what a worker started without its environment, in a session of its own, ends with it", async (t) => {
  const { owner, create, dir, up } = await setup(t, "naked");
  const id = await create("one");
  await owner.dispatcher.pass({});
  await up();
  const naked = Number(readFileSync(join(dir, "naked"), "utf8"));
  assert.ok(spawner.identify(naked));
  t.after(() => spawner.signal({ pid: naked }, "SIGKILL"));
  await owner.board.archive(BOARD, id, HUMAN);
  assert.equal(spawner.identify(naked), undefined);
});

test("a worker gets its arguments, its directory and its environment, and nothing of the owner's secrets", async (t) => {
  const { owner, create, dir, up } = await setup(t, "dump");
  const id = await create("one", { tenant: "acme", max_runtime_seconds: 3600 });
  const { spawned } = await owner.dispatcher.pass({});
  await up();
  const text = (name: string) => readFileSync(join(dir, name), "utf8").trim();
  const args = "-p default --accept-hooks --skills kanban-worker --toolsets agent-cli,kanban worker";
  assert.equal(text("argv").replaceAll("\n", " "), `${args} ${id}`);
  assert.equal(text("cwd"), spawned[0]?.workspace);
  const env = Object.fromEntries(
    text("env")
      .split("\n")
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  assert.equal(env["AGENT_KANBAN_TASK"], id);
  assert.equal(env["AGENT_KANBAN_WORKSPACE"], spawned[0]?.workspace);
  assert.equal(env["AGENT_TENANT"], "acme");
  assert.equal(env["TERMINAL_TIMEOUT"], "3570");
  assert.equal(env["SECRET_OF_OWNER"], undefined);
  const { token } = readClaim(env["AGENT_KANBAN_CLAIM"] ?? "");
  assert.ok(!text("env").includes(token) && !text("argv").includes(token));
});

test("a program that does not exist is a spawn failure, and blocks its task the second time", async (t) => {
  const { owner, create } = await setup(t, "", "/nonexistent");
  const id = await create("one");
  assert.deepEqual((await owner.dispatcher.pass({})).spawned, []);
  assert.equal((await owner.board.task(BOARD, id)).status, "ready");
  assert.deepEqual((await owner.dispatcher.pass({})).auto_blocked, [id]);
  assert.deepEqual(
    (await owner.board.runs(BOARD, id)).map((run) => run.outcome),
    ["spawn_failed", "spawn_failed"],
  );
});

test("a worker whose run was taken away cannot finish it, nor with the token of another run", async (t) => {
  const { owner, create, up } = await setup(t, "hang");
  const id = await create("one");
  const other = await create("two");
  await owner.dispatcher.pass({});
  await up();
  const mine = await claimOf(owner, id);
  const theirs = await claimOf(owner, other);
  const as = (claim: ClaimFile): Actor => ({ kind: "worker", name: "default", claim });
  await assert.rejects(owner.board.complete(BOARD, id, { summary: "x" }, as({ ...mine, token: theirs.token })), {
    code: "E_CLAIM_LOST",
  });
  await owner.board.reclaim(BOARD, id, "x", HUMAN);
  await assert.rejects(owner.board.complete(BOARD, id, { summary: "late" }, as(mine)), { code: "E_CLAIM_LOST" });
  await owner.board.complete(BOARD, other, { summary: "ok" }, as(theirs));
  await assert.rejects(owner.board.complete(BOARD, other, { summary: "twice" }, as(theirs)), { code: "E_CLAIM_LOST" });
  assert.equal((await owner.board.runs(BOARD, other)).at(-1)?.summary, "ok");
});

test("workers of a killed owner are adopted by the next one: same process, same run", async (t) => {
  const { owner, root, env, create, open, up } = await setup(t, "hang");
  const id = await create("one");
  await owner.close();
  const first = await ownerProcess(t, root, env);
  await up();
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  const next = await open();
  const [before] = await next.board.openRuns(BOARD);
  await next.dispatcher.start();
  const { events, runs, task } = await next.board.show(BOARD, id);
  assert.equal(runs.length, 1);
  assert.ok(events.some((event) => event.kind === "adopted"));
  assert.equal(task.worker_pid, before?.worker_pid);
  assert.ok(task.worker_pid !== null && spawner.identify(task.worker_pid) !== undefined);
});

test("a worker that ended while no owner was there is settled by its record, and its task goes on", async (t) => {
  const { owner, root, dir, env, create, open, up } = await setup(t, "hang");
  const id = await create("one", { max_retries: 1 });
  await owner.close();
  const first = await ownerProcess(t, root, env);
  await up();
  process.kill(first.pid, "SIGKILL");
  await first.exited;
  const [left] = workerFiles(boardPlaces(root, BOARD));
  assert.ok(left);
  process.kill(Number(readFileSync(join(dir, "up"), "utf8")), "SIGKILL");
  await eventually(() => !spawner.alive(left.worker)); // its runner leaves the record and ends
  const next = await open();
  await next.dispatcher.start();
  const [run] = await next.board.runs(BOARD, id);
  assert.deepEqual([run?.outcome, run?.exit_signal], ["crashed", "SIGKILL"]);
  assert.equal((await next.board.task(BOARD, id)).status, "blocked");
});

async function setup(t: TestContext, mode: string, worker = SCRIPT) {
  const root = mkdtempSync(join(tmpdir(), "workers-"));
  const dir = mkdtempSync(join(tmpdir(), "fake-"));
  const env = { ...HOME, FAKE_MODE: mode, FAKE_DIR: dir };
  const config = {
    "kanban.worker_env": ["FAKE_MODE", "FAKE_DIR"],
    "kanban.kill_grace_seconds": 0.2,
    "kanban.retry_backoff_seconds": 0,
  };
  // Workers do not keep their owner alive; the test waits for them.
  const held = watch(dir);
  t.after(() => held.close());
  const owners: BoardOwner[] = [];
  t.after(async () => {
    for (const owner of owners) await owner.close();
    for (const { worker } of workerFiles(boardPlaces(root, BOARD))) await spawner.endGroup(worker.pid, 0);
    for (const pid of spawner.marked("FAKE_DIR", dir)) spawner.signal({ pid }, "SIGKILL");
    await noneLeft(dir);
    rmSync(root, { recursive: true, force: true });
    rmSync(dir, { recursive: true, force: true });
  });
  const open = async () => {
    const owner = await openBoardOwner({
      root,
      env,
      config,
      clock: systemClock,
      ids: randomIds,
      spawner,
      runner: { file: process.execPath, args: [distFile("runner.cjs")] },
      worker: { file: worker, args: [] },
    });
    owners.push(owner);
    return owner;
  };
  const owner = await open();
  const create = async (title: string, more: object = {}): Promise<TaskId> =>
    (await owner.board.create(BOARD, { title, ...more }, HUMAN)).task.id;
  return { owner, root, dir, env, open, create, up: () => appears(dir, "up") };
}

/** Starts an owner in a process of its own; resolves when it has made its first pass ready. */
async function ownerProcess(t: TestContext, root: string, env: Record<string, string>): Promise<Child> {
  const child = await spawner.spawn({
    file: process.execPath,
    args: [distFile("test/programs/board-owner.cjs"), root, SCRIPT],
    cwd: root,
    env,
  });
  t.after(() => spawner.endGroup(child.pid, 0));
  await new Promise<void>((resolve, reject) => {
    child.onOutput((chunk, stream) => (stream === "stdout" ? resolve() : reject(new Error(chunk.toString()))));
  });
  return child;
}

/** The first run of the task, once it has ended. */
async function settled(owner: BoardOwner, id: TaskId): Promise<Run> {
  const control = new AbortController();
  try {
    for await (const _event of owner.board.events(BOARD, 0, control.signal)) {
      const [run] = await owner.board.runs(BOARD, id);
      if (run?.outcome) return run;
    }
  } finally {
    control.abort();
  }
  throw new Error("the events ended");
}

async function claimOf(owner: BoardOwner, id: TaskId): Promise<ClaimFile> {
  const { current_run_id } = await owner.board.task(BOARD, id);
  assert.ok(current_run_id !== null);
  return readClaim(owner.board.places(BOARD).claim(id, current_run_id));
}

function readClaim(path: string): ClaimFile {
  const claim: ClaimFile = JSON.parse(readFileSync(path, "utf8"));
  return claim;
}

async function appears(dir: string, name: string): Promise<void> {
  const watcher = watch(dir);
  try {
    while (!existsSync(join(dir, name))) await once(watcher, "change");
  } finally {
    watcher.close();
  }
}

/** The end of processes that are not ours is told by nothing. */
async function noneLeft(dir: string): Promise<void> {
  while (spawner.marked("FAKE_DIR", dir).length > 0) await new Promise((resolve) => setImmediate(resolve));
}
