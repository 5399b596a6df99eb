import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { kanbanWorld } from "../../../fixtures/e2e/kanban.js";
import { proves } from "../../../fixtures/requirements.js";
import { systemSpawner } from "../../base/process/spawn-system.js";
import { boardPlaces } from "../../board/core/places.js";
import type { ListedBoard } from "../../contracts/board/api.js";

test("a board is made once and its name need not be typed in lower case (check 66)", async (t) => {
  proves(t, "board.multi-profile");
  const { K } = await kanbanWorld(t);
  const first = await K("boards", "create", "Foo-Bar", "--name", "Foo");
  const second = await K("boards", "create", "Foo-Bar", "--name", "Foo");
  assert.deepEqual([first.code, first.out], [0, "Board 'foo-bar' created.\n"]);
  assert.deepEqual([second.code, second.out], [0, "Board 'foo-bar' already exists.\n"]);
});

test("malformed and unknown boards are told apart by their exit code (check 67)", async (t) => {
  const { K } = await kanbanWorld(t);
  assert.equal((await K("boards", "create", "bad slug")).code, 2);
  const unknown = await K("--board", "nope", "list");
  assert.equal(unknown.code, 1);
  assert.match(unknown.err, /^kanban: .*boards create nope/);
  assert.equal((await K("--board", "BAD!", "list")).code, 2);
});

test("boards keep their tasks apart, and the list says on which one it is (check 68)", async (t) => {
  const { K, make } = await kanbanWorld(t);
  await K("boards", "create", "foo-bar");
  const id = await make("inb", "--board", "foo-bar");
  assert.doesNotMatch((await K("list")).out, /inb/);
  assert.equal((await K("boards", "switch", "foo-bar")).out, "Active board is now 'foo-bar'.\n");
  const { out } = await K("list");
  assert.match(out, /^Board: foo-bar \(1 other board — `agent kanban boards list`\)\n\n/);
  assert.ok(out.includes(id));
});

test("default stays, a removed board lies under _archived, and the current board falls back (check 69)", async (t) => {
  const { K, home } = await kanbanWorld(t);
  await K("boards", "create", "foo-bar", "--switch");
  assert.equal((await K("boards", "rm", "default")).code, 1);
  assert.equal((await K("boards", "rm", "foo-bar")).code, 0);
  const archived = readdirSync(join(home.root, "kanban", "boards", "_archived"));
  assert.match(archived.join(), /^foo-bar-\d+$/);
  const shown = await K("boards", "show");
  assert.deepEqual([shown.err, shown.out.split("\n")[0]], ["", "Board: default (Default)  current"]);
});

test("the flag wins over the environment (check 70)", async (t) => {
  const { K, Kwith, J } = await kanbanWorld(t);
  await K("boards", "create", "foo-bar");
  const env = { AGENT_KANBAN_BOARD: "foo-bar" };
  assert.equal((await Kwith({ env }, "--board", "default", "create", "x")).code, 0);
  assert.equal((await J<unknown[]>("--board", "default", "list")).length, 1);
  assert.equal((await J<unknown[]>("--board", "foo-bar", "list")).length, 0);
});

test("delete archives, and restore brings every task back (check 71)", async (t) => {
  const { K, J, make } = await kanbanWorld(t);
  await K("boards", "create", "foo-bar");
  const ids = [await make("one", "--board", "foo-bar"), await make("two", "--board", "foo-bar")];
  assert.equal((await K("boards", "delete", "foo-bar")).code, 0);
  assert.equal((await K("--board", "foo-bar", "list")).code, 1);
  assert.equal((await K("boards", "restore", "foo-bar")).code, 0);
  const back = await J<{ id: string }[]>("--board", "foo-bar", "list");
  assert.deepEqual(new Set(back.map((task) => task.id)), new Set(ids));
});

test("a paused board starts nothing, says so where it is looked at, and goes on at once when resumed (check 57)", async (t) => {
  const { K, J, D, make, told, show } = await kanbanWorld(t, { mode: "sleep" });
  await D();
  await K("boards", "pause", "--reason", "holidays");
  const made = await K("create", "one");
  assert.match(made.err, /paused/);
  const [task] = await J<{ id: string; status: string }[]>("list");
  const other = await make("two", "--priority", "-1");
  const pass = await J<{ skipped_paused: number; spawned: unknown[] }>("dispatch");
  assert.deepEqual([pass.skipped_paused, pass.spawned], [2, []]);
  assert.match((await K("list")).out, /Board is paused: holidays/);
  assert.match((await K("boards", "list")).out, /ready=2 {2}paused/);
  assert.equal((await show(other)).task.status, "ready");
  await K("boards", "resume");
  await told(task?.id ?? "");
});

test("pause --now stops what runs and counts nothing; a pause outlives its owner", async (t) => {
  const { K, D, make, told, show } = await kanbanWorld(t);
  const owner = await D();
  const id = await make("one");
  const { pid } = await told(id);
  await K("boards", "pause", "--now");
  assert.equal(systemSpawner.identify(pid), undefined);
  await owner.end();
  await D();
  const { task, runs } = await show(id);
  assert.deepEqual(
    [task.status, task.consecutive_failures, runs.map((run) => run.end_reason)],
    ["ready", 0, ["board_paused"]],
  );
});

test("the cap of a board is obeyed as soon as it is set, and a raised one starts the next task at once", async (t) => {
  const { K, J, D, make, told } = await kanbanWorld(t, { kanban: { max_in_progress: 4 } });
  await K("boards", "set", "default", "--max-in-progress", "1");
  await D();
  const first = await make("one", "--priority", "1");
  const second = await make("two");
  await told(first);
  const running = await J<{ id: string }[]>("list", "--status", "running");
  assert.deepEqual(
    running.map((task) => task.id),
    [first],
  );
  await K("boards", "set", "default", "--max-in-progress", "2");
  await told(second, 2);
});

test("a board removed with its workers at work is not made again, and the workers and their children are gone", async (t) => {
  const { K, J, D, home, told, alone, make } = await kanbanWorld(t, {
    kanban: { dispatch_interval_seconds: 1, max_in_progress: 4 },
  });
  const owner = await D();
  await K("boards", "create", "foo-bar");
  const ids = [await make("a", "--board", "foo-bar"), await make("b", "--board", "foo-bar")];
  const workers = await Promise.all(ids.map((id) => told(id)));
  const busy = await K("boards", "rm", "foo-bar");
  assert.equal(busy.code, 1);
  assert.match(busy.err, new RegExp(`running tasks: .*${ids[0]}`));
  for (let n = 0; n < 20; n++) await make(`more ${n}`, "--board", "foo-bar", "--priority", "-1");
  const removed = await K("boards", "rm", "foo-bar", "--force");
  assert.equal(removed.code, 0, removed.err);
  for (const { pid, child } of workers)
    for (const one of [pid, child ?? 0]) assert.equal(systemSpawner.identify(one), undefined, `${one} lives`);
  for (let pass = 0; pass < 3; pass++) await J("dispatch");
  assert.equal(existsSync(boardPlaces(home.root, "foo-bar").logs), false);
  assert.equal(existsSync(dirname(boardPlaces(home.root, "foo-bar").store)), false);
  assert.deepEqual(
    (await J<ListedBoard[]>("boards", "list")).map((board) => board.slug),
    ["default"],
  );
  await owner.end();
  await alone();
});

test("removing and restoring a board while the dispatcher starts workers on it leaves no worker without a board", async (t) => {
  const { K, J, D, home, mode, alone } = await kanbanWorld(t, {
    kanban: { dispatch_interval_seconds: 1, max_in_progress: 3 },
  });
  mode("complete");
  const owner = await D();
  await K("boards", "create", "foo-bar");
  for (let round = 0; round < 4; round++) {
    const made = ["x", "y", "z"].map((title) => K("--board", "foo-bar", "create", title));
    await made[0];
    const removed = await K("boards", "rm", "foo-bar", "--force");
    assert.equal(removed.code, 0, removed.err);
    for (const { code, err } of await Promise.all(made)) assert.ok(code === 0 || /no board 'foo-bar'/.test(err), err);
    assert.equal(existsSync(dirname(boardPlaces(home.root, "foo-bar").store)), false);
    assert.equal((await K("boards", "restore", "foo-bar")).code, 0);
  }
  await K("boards", "rm", "foo-bar", "--force");
  await J("dispatch");
  await owner.end();
  await alone();
});

/** Passages of the rename at which the owner is killed, and what its next command then finds. */
const KILLS: readonly { words: readonly string[]; at: string; there: boolean }[] = [
  { words: ["boards", "rm", "foo-bar"], at: "directory.moving:1", there: true },
  { words: ["boards", "rm", "foo-bar"], at: "directory.moved:1", there: false },
  { words: ["boards", "rm", "foo-bar", "--delete"], at: "directory.moving:1", there: true },
  { words: ["boards", "rm", "foo-bar", "--delete"], at: "directory.moved:1", there: false },
  { words: ["boards", "restore", "gone"], at: "directory.moving:1", there: false },
  { words: ["boards", "restore", "gone"], at: "directory.moved:1", there: true },
];

for (const { words, at, there } of KILLS) {
  test(`killed at ${at} of ${words.join(" ")}, the board is ${there ? "there" : "away"} and whole`, async (t) => {
    const { K, Kwith, J, make } = await kanbanWorld(t, { faults: true });
    const slug = words[1] === "restore" ? "gone" : "foo-bar";
    await K("boards", "create", slug);
    const id = await make("one", "--board", slug);
    if (words[1] === "restore") await K("boards", "rm", slug);
    assert.equal((await Kwith({ env: { AGENT_FAULT: at } }, ...words)).code, 128);
    const boards = await J<ListedBoard[]>("boards", "list", "--all");
    const found = boards.filter((board) => board.slug === slug);
    const deleted = words.includes("--delete") && !there;
    assert.deepEqual(
      found.map((board) => board.archived),
      deleted ? [] : [!there],
    );
    if (deleted) return;
    if (!there) assert.equal((await K("boards", "restore", slug)).code, 0);
    assert.equal((await J<{ id: string }[]>("--board", slug, "list"))[0]?.id, id);
  });
}

test("the settings of a profile name its board, and those of another profile do not", async (t) => {
  const { K, Kwith, J, home } = await kanbanWorld(t);
  await K("boards", "create", "foo-bar");
  const profile = join(home.dir, "profiles", "coder");
  mkdirSync(profile, { recursive: true });
  writeFileSync(join(profile, "config.yaml"), "kanban:\n  default_board: foo-bar\n");
  assert.equal((await K("-p", "coder", "create", "one")).code, 0);
  assert.equal((await Kwith({ env: { AGENT_HOME: profile } }, "create", "two")).code, 0);
  assert.equal((await K("create", "three")).code, 0);
  const titles = async (board: string) =>
    (await J<{ title: string }[]>("--board", board, "list")).map((task) => task.title);
  assert.deepEqual([await titles("foo-bar"), await titles("default")], [["one", "two"], ["three"]]);
});
