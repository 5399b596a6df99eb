import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { proves } from "../../../fixtures/requirements.js";
import { kanban } from "../../../fixtures/sim/board-cli.js";
import { DEFAULT, setupBoard, USER } from "../../../fixtures/sim/board-world.js";
import type { BoardSlug } from "../../base/units.js";

const A = "a" as BoardSlug; // a slug by its form

async function setup(t: Parameters<typeof setupBoard>[0]) {
  const world = setupBoard(t, { real: true });
  const K = (...argv: string[]) => kanban(world, argv);
  const J = async <T = Record<string, unknown>>(...argv: string[]) => {
    const ran = await K(...argv, "--json");
    assert.equal(ran.code, 0, ran.err + ran.out);
    return ran.json<T>();
  };
  await K("boards", "create", "a");
  return { world, K, J };
}

type Words = readonly string[];

/** What is refused, with its code and exit. */
const REFUSED: readonly { words: Words; code: string; exit: number }[] = [
  { words: ["boards", "create", "bad slug"], code: "E_BAD_BOARD", exit: 2 },
  { words: ["boards", "create", "_a"], code: "E_BAD_BOARD", exit: 2 },
  { words: ["boards", "create", "a".repeat(65)], code: "E_BAD_BOARD", exit: 2 },
  { words: ["boards", "create", "../x"], code: "E_BAD_BOARD", exit: 2 },
  { words: ["boards", "create", "b", "--name", "x".repeat(101)], code: "E_INVALID", exit: 1 },
  { words: ["boards", "switch", "nope"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["boards", "switch", "no/pe"], code: "E_BAD_BOARD", exit: 2 },
  { words: ["boards", "show", "nope"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["boards", "rename", "nope", "x"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["boards", "rename", "a", "  "], code: "E_INVALID", exit: 1 },
  { words: ["boards", "rename", "a"], code: "E_USAGE", exit: 2 },
  { words: ["boards", "set", "a"], code: "E_USAGE", exit: 2 },
  { words: ["boards", "set", "a", "--max-in-progress", "0"], code: "E_USAGE", exit: 2 },
  { words: ["boards", "set", "a", "--max-in-progress", "many"], code: "E_USAGE", exit: 2 },
  { words: ["boards", "set", "a", "--orchestration", "often"], code: "E_USAGE", exit: 2 },
  { words: ["boards", "set", "nope", "--icon", "x"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["boards", "set-default-workdir", "nope", "/tmp"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["boards", "pause", "nope"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["boards", "resume", "nope"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["boards", "rm", "default"], code: "E_INVALID", exit: 1 },
  { words: ["boards", "rm", "nope"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["boards", "rm", "NO PE"], code: "E_BAD_BOARD", exit: 2 },
  { words: ["boards", "rm"], code: "E_USAGE", exit: 2 },
  { words: ["boards", "restore", "a"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["boards", "restore", "a-1700000000"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["--board", "nope", "list"], code: "E_BOARD_NOT_FOUND", exit: 1 },
  { words: ["--board", "BAD!", "list"], code: "E_BAD_BOARD", exit: 2 },
];

for (const { words, code, exit } of REFUSED) {
  test(`refused with ${code}: kanban ${words.join(" ").slice(0, 60)}`, async (t) => {
    const { K, J } = await setup(t);
    const before = await J("boards", "list", "--all");
    const ran = await K(...words, "--json");
    assert.deepEqual([ran.code, ran.json<{ error: { code: string } }>().error.code], [exit, code]);
    assert.deepEqual(await J("boards", "list", "--all"), before);
  });
}

test("settings are changed one by one, an empty value clears, and each change is one event with what changed", async (t) => {
  proves(t, "cli.kanban.boards");
  const { world, K, J } = await setup(t);
  await K(
    "boards",
    "set",
    "a",
    "--description",
    "d",
    "--icon",
    "i",
    "--color",
    "red",
    "--orchestration",
    "manual",
    "--max-in-progress",
    "3",
  );
  const { board, changed } = await J<{ board: Record<string, unknown>; changed: string[] }>(
    "boards",
    "set",
    "a",
    "--icon",
    "",
    "--max-in-progress",
    "",
  );
  assert.deepEqual(changed, ["icon", "max_in_progress"]);
  assert.deepEqual(
    [board["description"], board["icon"], board["color"], board["orchestration"], board["max_in_progress"]],
    ["d", "", "red", "manual", null],
  );
  assert.match((await K("boards", "set", "a", "--icon", "")).out, /unchanged/);
  await K("boards", "set", "a", "--orchestration", "inherit");
  await K("boards", "rename", "a", "Alpha");
  await K("boards", "set-default-workdir", "a", ".");
  const events = (await world.board.eventsAfter(A, 0, 50)).filter((event) => event.kind === "board_updated");
  assert.deepEqual(
    events.map((event) => event.payload),
    [
      { description: "d", icon: "i", color: "red", orchestration: "manual", max_in_progress: 3 },
      { icon: "", max_in_progress: null },
      { orchestration: null },
      { name: "Alpha" },
      { default_workdir: world.root },
    ],
  );
  assert.match(
    (await K("boards", "show", "a")).out,
    /^Board: a \(Alpha\)\nDescription: d\nColor: red\nDefault workdir: /,
  );
  await K("boards", "set-default-workdir", "a");
  assert.equal((await J("boards", "show", "a"))["default_workdir"], "");
});

test("a default directory that is not there yet is said, not refused", async (t) => {
  const { K } = await setup(t);
  const ran = await K("boards", "set-default-workdir", "a", "nowhere");
  assert.equal(ran.code, 0);
  assert.match(ran.err, /nowhere does not exist yet/);
});

test("the cap and the orchestration of a board reach those who dispatch and decompose, and wake them", async (t) => {
  const { world, K } = await setup(t);
  const heard: string[] = [];
  world.board.onWake((board, cause) => heard.push(`${board} ${cause}`));
  await K("boards", "set", "a", "--max-in-progress", "2", "--orchestration", "auto");
  assert.deepEqual(await world.board.settings(A), { paused: false, max_in_progress: 2, orchestration: "auto" });
  assert.deepEqual(heard, ["a changed"]);
});

test("a removed board is archived with all that is in it, is shown by --all, and comes back", async (t) => {
  proves(t, "cli.kanban.boards");
  const { world, K, J } = await setup(t);
  const { task } = await world.board.create(A, { title: "one" }, USER);
  await K("boards", "switch", "a");
  const { result, current } = await J<{ result: Record<string, string>; current: string }>("boards", "rm", "a");
  assert.deepEqual([result["slug"], result["action"], current], ["a", "archived", "default"]);
  assert.ok(existsSync(join(result["new_path"] ?? "", "kanban.db")));
  assert.equal(existsSync(join(world.root, "kanban", "boards", "a")), false);
  assert.deepEqual((await J<unknown[]>("boards", "list")).length, 1);
  const [, archived] = await J<Record<string, unknown>[]>("boards", "list", "--all");
  assert.deepEqual([archived?.["slug"], archived?.["archived"], archived?.["total"]], ["a", true, 1]);
  await assert.rejects(world.board.create(A, { title: "late" }, USER), /no board 'a'/);
  assert.match((await K("boards", "restore", "a")).out, /Board 'a' restored: 1 task/);
  assert.equal((await world.board.task(A, task.id)).title, "one");
  const kinds = (await world.board.eventsAfter(A, 0, 50)).map((event) => event.kind);
  assert.deepEqual(kinds, ["board_created", "created", "board_archived", "board_updated"]);
});

test("the newest copy of a slug is restored, an older one by its archived name, a taken slug is refused", async (t) => {
  const { world, K, J } = await setup(t);
  const names: string[] = [];
  for (const title of ["first", "second", "third"]) {
    await K("boards", "create", "a");
    await world.board.create(A, { title }, USER);
    const { result } = await J<{ result: { new_path: string } }>("boards", "rm", "a");
    names.push(result.new_path.split("/").at(-1) ?? "");
  }
  assert.equal(new Set(names).size, 3);
  const titleOf = async (slug: string) => (await J<{ title: string }[]>("--board", slug, "list"))[0]?.title;
  await K("boards", "restore", "a");
  assert.equal(await titleOf("a"), "third");
  const taken = await K("boards", "restore", "a", "--json");
  assert.deepEqual([taken.code, taken.json<{ error: { code: string } }>().error.code], [1, "E_CONFLICT"]);
  await K("boards", "restore", names[0] ?? "", "--as", "old");
  assert.equal(await titleOf("old"), "first");
});

test("what lies inside a board follows it to another slug", async (t) => {
  const { world, K } = await setup(t);
  const { task } = await world.board.create(A, { title: "one" }, USER);
  const answer = await world.board.claimOutside(A, task.id, {}, USER);
  writeFileSync(join(answer.workspace, "made.txt"), "made");
  await K("boards", "rm", "a", "--force");
  await K("boards", "restore", "a", "--as", "b");
  const b = "b" as BoardSlug; // a slug by its form
  const { workspace_path, status } = await world.board.task(b, task.id);
  assert.equal(status, "ready");
  assert.equal(workspace_path, join(world.root, "kanban", "boards", "b", "workspaces", task.id));
  assert.equal(readFileSync(join(workspace_path ?? "", "made.txt"), "utf8"), "made");
  assert.equal(JSON.parse(readFileSync(join(workspace_path ?? "", ".agent-workspace"), "utf8")).board, "b");
});

test("running tasks keep a board, --force stops their workers first, one that cannot be stopped keeps it", async (t) => {
  const { world, K } = await setup(t);
  const { task } = await world.board.create(A, { title: "one" }, USER);
  await world.board.claimOutside(A, task.id, {}, USER);
  const busy = await K("boards", "rm", "a", "--json");
  assert.deepEqual([busy.code, busy.json<{ error: { code: string } }>().error.code], [1, "E_BOARD_BUSY"]);
  assert.match(busy.out, new RegExp(task.id));
  world.stopper.answer = "stuck";
  assert.equal(
    (await K("boards", "rm", "a", "--force", "--json")).json<{ error: { code: string } }>().error.code,
    "E_WORKER_STUCK",
  );
  assert.equal((await world.board.task(A, task.id)).status, "running");
  world.stopper.answer = "ended";
  assert.equal((await K("boards", "rm", "a", "--force")).code, 0);
  await K("boards", "restore", "a");
  const view = await world.board.show(A, task.id);
  assert.deepEqual(
    [view.task.status, view.runs[0]?.outcome, view.runs[0]?.end_reason],
    ["ready", "reclaimed", "archived"],
  );
});

test("deleted is gone for good, and what an interrupted deletion left is cleared by the next removal", async (t) => {
  const { world, K, J } = await setup(t);
  const base = join(world.root, "kanban", "boards", "_archived");
  mkdirSync(join(base, ".removed-x-1"), { recursive: true });
  const { result } = await J<{ result: Record<string, unknown> }>("boards", "delete", "a", "--delete");
  assert.deepEqual(result, { slug: "a", action: "deleted", new_path: null });
  assert.deepEqual(readdirSync(base), []);
  assert.equal((await K("boards", "restore", "a")).code, 1);
});

test("a board whose store is damaged can be put away and brought back as it was", async (t) => {
  const { world, K, J } = await setup(t);
  await world.close();
  const path = join(world.root, "kanban", "boards", "a", "kanban.db");
  writeFileSync(path, "no database");
  const [, broken] = await J<Record<string, unknown>[]>("boards", "list");
  assert.match(String(broken?.["error"]), /damaged/);
  assert.equal((await K("boards", "rm", "a")).code, 0);
  const restored = await K("boards", "restore", "a");
  assert.match(restored.err, /cannot open its store/);
  assert.equal(readFileSync(path, "utf8"), "no database");
});

test("a directory without a board does not get a board's place by accident", async (t) => {
  const { world, K } = await setup(t);
  await K("boards", "rm", "a");
  mkdirSync(join(world.root, "kanban", "boards", "a", "logs"), { recursive: true });
  const ran = await K("boards", "restore", "a", "--json");
  assert.equal(ran.json<{ error: { code: string } }>().error.code, "E_CONFLICT");
});

test("a follower of a removed board hears its last event and the end", async (t) => {
  const { world, K } = await setup(t);
  const kinds: string[] = [];
  const following = (async () => {
    for await (const event of world.board.events(A, 0, new AbortController().signal)) kinds.push(event.kind);
  })();
  await K("boards", "rm", "a");
  await following;
  assert.deepEqual(kinds, ["board_created", "board_archived"]);
});

test("a pause is idempotent, survives, is shown with its reason, and stops claims", async (t) => {
  const { world, K, J } = await setup(t);
  const { task } = await world.board.create(A, { title: "one" }, USER);
  await K("boards", "pause", "a", "--reason", "holidays");
  await K("boards", "pause", "a", "--reason", "other");
  assert.equal((await J("boards", "show", "a"))["paused_reason"], "holidays");
  assert.match((await K("boards", "show", "a")).out, /Paused: yes since .* by user: holidays/);
  assert.match((await K("boards", "list")).out, /ready=1 {2}paused/);
  assert.match((await K("--board", "a", "list")).out, /Board is paused: holidays/);
  const claim = await K("--board", "a", "claim", task.id, "--json");
  assert.deepEqual([claim.code, claim.json<{ error: { code: string } }>().error.code], [1, "E_STATE"]);
  const kinds = (await world.board.eventsAfter(A, 0, 50)).map((event) => event.kind);
  assert.deepEqual(kinds, ["board_created", "created", "board_paused"]);
  await K("boards", "resume", "a");
  assert.equal((await K("boards", "resume", "a")).code, 0);
  assert.equal((await K("--board", "a", "claim", task.id)).code, 0);
});

test("default needs no store to be a board, and is made by the first task", async (t) => {
  const { world } = await setup(t);
  assert.equal((await world.board.board(DEFAULT)).total, 0);
  await world.board.create(DEFAULT, { title: "x" }, USER);
  assert.equal((await world.board.board(DEFAULT)).total, 1);
});
