import assert from "node:assert/strict";
import { test } from "node:test";
import { proves } from "../../fixtures/requirements.js";
import { kanban } from "../../fixtures/sim/board-cli.js";
import { type BoardWorld, DEFAULT, setupBoard, USER } from "../../fixtures/sim/board-world.js";
import type { Run, Task } from "../contracts/board/board.js";
import { COMMANDS } from "./index.gen.js";

const created = async (world: BoardWorld, ...argv: string[]) =>
  (await kanban(world, ["create", ...argv, "--json"])).json<Task>();

test("create takes a key, a time limit, skills and an allowance of failures, or triage", async (t) => {
  proves(t, "cli.kanban.create-flags", "board.task.skills");
  const world = setupBoard(t);
  const flags = [
    "--idempotency-key",
    "k1",
    "--max-runtime",
    "15m",
    "--skill",
    "maps",
    "--skill",
    "csv",
    "--max-retries",
    "4",
  ];
  const { id } = await created(world, "one", ...flags);
  const task = await world.board.task(DEFAULT, id);
  assert.deepEqual(
    [task.idempotency_key, task.max_runtime_seconds, task.skills, task.max_retries],
    ["k1", 900, ["maps", "csv"], 4],
  );
  assert.equal((await created(world, "two", "--triage")).status, "triage");
});

test("complete takes a summary and metadata", async (t) => {
  proves(t, "cli.kanban.complete-flags");
  const world = setupBoard(t);
  const { id } = await created(world, "one");
  assert.equal((await kanban(world, ["complete", id, "--summary", "did it", "--metadata", '{"n": 1}'])).code, 0);
  const [run] = (await kanban(world, ["runs", id, "--json"])).json<Run[]>();
  assert.deepEqual([run?.outcome, run?.summary, run?.metadata], ["completed", "did it", { n: 1 }]);
});

/** A value for each name of a position; `...` takes one. */
const PLACES: Readonly<Record<string, string>> = {
  reason: "because",
  title: "a title",
  slug: "some-board",
  assignee: "bob",
  profile: "bob",
  attachment: "1",
};

/** Flags without which a command has nothing to do. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  "kanban edit": ["--title", "x"],
  "kanban swarm": ["--worker", "bob:one", "--verifier", "bob", "--synthesizer", "bob"],
};

/** Commands that concern one board: all but those about boards, or about all of them. */
const OF_ALL_BOARDS = new Set(["kanban dispatch", "kanban daemon"]);
const OF_A_BOARD = COMMANDS.filter(
  ({ path }) => path.startsWith("kanban ") && !path.startsWith("kanban boards ") && !OF_ALL_BOARDS.has(path),
);

for (const { path, positionals = [] } of OF_A_BOARD) {
  test(`${path} takes the board from --board`, async (t) => {
    proves(t, "cli.kanban.board-flag");
    const world = setupBoard(t);
    const words = positionals.map((name) => PLACES[name.replace("...", "")] ?? "t_00000000");
    const { code, err, out } = await kanban(world, [
      ...path.split(" ").slice(1),
      ...words,
      ...(NEEDED[path] ?? []),
      "--board",
      "nope",
    ]);
    assert.equal(code, 1, `${err}${out}`);
    assert.match(err, /no board 'nope'/);
  });
}

test("the dispatcher blocks after two failures, or after as many as dispatch is told", async (t) => {
  proves(t, "cli.kanban.dispatch-flag");
  const asked: unknown[] = [];
  const world = setupBoard(t);
  const { task } = await world.board.create(DEFAULT, { title: "one" }, USER);
  assert.deepEqual(world.board.failureLimit(task), { limit: 2, source: "default" });
  assert.deepEqual(world.board.failureLimit(task, 5), { limit: 5, source: "dispatch_flag" });
  const board = {
    ...world.board,
    dispatch: (options: object) => {
      asked.push(options);
      return world.board.dispatch({ ...options, dryRun: true });
    },
  };
  await kanban({ ...world, board } as BoardWorld, ["dispatch", "--failure-limit", "5"]);
  assert.deepEqual(asked, [{ dryRun: false, failureLimit: 5 }]);
});

test("on a fresh home there is a board called default, and it is the current one", async (t) => {
  proves(t, "board.default-exists");
  const world = setupBoard(t);
  const boards = (await kanban(world, ["boards", "list", "--json"])).json<{ slug: string; is_current: boolean }[]>();
  assert.deepEqual(
    boards.map(({ slug, is_current }) => [slug, is_current]),
    [["default", true]],
  );
  const { id } = await created(world, "one");
  assert.equal((await kanban(world, ["--board", "default", "show", id])).code, 0);
});

const STATUSES = ["triage", "todo", "ready", "running", "blocked", "scheduled", "done"];

test("a task has one of the seven states, or is archived, and there is no other", async (t) => {
  proves(t, "board.status.names", "board.task.status");
  const world = setupBoard(t);
  const stats = await world.board.stats(DEFAULT);
  assert.deepEqual(Object.keys(stats.by_status), [...STATUSES, "archived"]);
  for (const status of STATUSES) assert.equal((await kanban(world, ["list", "--status", status])).code, 0, status);
  assert.match((await kanban(world, ["list", "--status", "review"])).err, /unknown status 'review'/);
});

test("create has no way to a running task", async (t) => {
  proves(t, "board.running.not-settable");
  const world = setupBoard(t);
  assert.equal((await kanban(world, ["create", "x", "--initial-status", "running"])).code, 2);
  const { task } = await world.board.create(
    DEFAULT,
    { title: "x", initial_status: "running", status: "running" } as never,
    USER,
  ); // from a caller without types
  assert.equal(task.status, "ready");
});

for (const line of [[], ["boards"], ["boards", "-h"], ["create", "-h"]]) {
  test(`help of '${["kanban", ...line].join(" ")}' is text, and JSON where JSON was asked for`, async (t) => {
    const world = setupBoard(t);
    const { code, out } = await kanban(world, line);
    assert.deepEqual([code, out.startsWith("agent kanban")], [0, true]);
    assert.equal((await kanban(world, [...line, "--json"])).json<{ usage: string }>().usage, out.slice(0, -1));
  });
}

test("list --mine shows what the calling profile works", async (t) => {
  const world = setupBoard(t);
  const theirs = await created(world, "one", "--assignee", "bob");
  const mine = await created(world, "two", "--assignee", "default");
  const listed = async (...argv: string[]) =>
    (await kanban(world, [...argv, "list", "--mine", "--json"])).json<Task[]>().map(({ id }) => id);
  assert.deepEqual(await listed(), [mine.id]);
  assert.deepEqual(await listed("--profile", "bob"), [theirs.id]);
});
