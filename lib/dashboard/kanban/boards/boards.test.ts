import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { setupRest } from "../../../../fixtures/dashboard/rest.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import type { BoardSlug } from "../../../base/units.js";
import type { ListedBoard } from "../../../contracts/board/boards.js";

interface One {
  readonly board: ListedBoard;
  readonly current: string;
}
interface Many {
  readonly boards: readonly ListedBoard[];
  readonly current: string;
}

test("a board is made once, changed, made current, listed with its counts, archived and brought back", async (t) => {
  const { world, ask } = await setupRest(t, { real: true });
  const made = await ask<One>("POST", "/boards", {
    slug: "Web",
    name: "Web site",
    icon: "★",
    default_workdir: world.root,
  });
  assert.deepEqual(
    [made.status, made.json.board.slug, made.json.board.icon, made.json.current],
    [200, "web", "★", "default"],
  );
  const again = await ask<One>("POST", "/boards", { slug: "web", name: "Other", switch: true });
  assert.deepEqual([again.json.board.name, again.json.current], ["Web site", "web"]);
  await ask("POST", "/boards/default/switch");
  const changed = await ask<One>("PATCH", "/boards/web", {
    name: "Site",
    icon: "",
    orchestration: "manual",
    max_in_progress: 2,
  });
  const { name, icon, orchestration, max_in_progress } = changed.json.board;
  assert.deepEqual([name, icon, orchestration, max_in_progress], ["Site", "", "manual", 2]);
  const cleared = await ask<One>("PATCH", "/boards/web", { orchestration: "inherit", max_in_progress: null });
  assert.deepEqual([cleared.json.board.orchestration, cleared.json.board.max_in_progress], [null, null]);
  await world.board.create("web" as BoardSlug, { title: "one" }, USER);
  const { boards, current } = (await ask<Many>("GET", "/boards")).json;
  assert.deepEqual(
    [boards.map((one) => [one.slug, one.total, one.is_current]), current],
    [
      [
        ["default", 0, true],
        ["web", 1, false],
      ],
      "default",
    ],
  );
  const { json: gone } = await ask<{ result: { action: string; new_path: string }; current: string }>(
    "DELETE",
    "/boards/web",
  );
  assert.deepEqual(
    [gone.result.action, gone.result.new_path.startsWith(join(world.root, "kanban")), gone.current],
    ["archived", true, "default"],
  );
  assert.equal((await ask("GET", "/board?board=web")).status, 404);
  assert.deepEqual(
    (await ask<Many>("GET", "/boards?include_archived=1")).json.boards.map((one) => one.archived),
    [false, true],
  );
  const back = await ask<One>("POST", "/boards/web/restore", { as: "site" });
  assert.deepEqual([back.json.board.slug, back.json.board.total], ["site", 1]);
  const removed = await ask<{ result: { action: string; new_path: null } }>("DELETE", "/boards/site?delete=true");
  assert.deepEqual([removed.json.result.action, removed.json.result.new_path], ["deleted", null]);
});

test("a paused board says so wherever it is shown, and goes on when it is told to", async (t) => {
  const { world, ask } = await setupRest(t);
  const { id } = (await world.board.create(DEFAULT, { title: "one" }, USER)).task;
  await world.board.claim(DEFAULT, id, { profile: "alice", lock: "host:1", by: USER });
  const paused = await ask<One>("POST", "/boards/default/pause", { reason: "lunch" });
  assert.deepEqual([paused.json.board.paused_by, paused.json.board.paused_reason], ["dashboard", "lunch"]);
  assert.deepEqual(
    [(await ask<{ paused: boolean }>("GET", "/board")).json.paused, world.stopper.stopped.length],
    [true, 0],
  );
  await ask("POST", "/boards/default/pause", { now: true });
  assert.equal(world.stopper.stopped.length, 1);
  assert.equal((await ask<One>("POST", "/boards/default/resume")).json.board.paused_at, null);
});

const REFUSED = [
  { name: "a slug that is none", ask: ["POST", "/boards", { slug: "a b" }], status: 400, code: "E_BAD_BOARD" },
  {
    name: "a directory that begins nowhere",
    ask: ["POST", "/boards", { slug: "x", default_workdir: "src" }],
    status: 400,
    code: "E_INVALID",
  },
  { name: "no slug", ask: ["POST", "/boards", {}], status: 422, code: "E_INVALID_PARAMS" },
  {
    name: "a board that is not there, to change it",
    ask: ["PATCH", "/boards/none", { name: "x" }],
    status: 404,
    code: "E_BOARD_NOT_FOUND",
  },
  {
    name: "a cap of nothing",
    ask: ["PATCH", "/boards/default", { max_in_progress: 0 }],
    status: 400,
    code: "E_INVALID",
  },
  { name: "removing the default board", ask: ["DELETE", "/boards/default"], status: 400, code: "E_INVALID" },
  {
    name: "a board that is not there, to switch to it",
    ask: ["POST", "/boards/none/switch"],
    status: 404,
    code: "E_BOARD_NOT_FOUND",
  },
  { name: "a slug that is none, to pause it", ask: ["POST", "/boards/a.b/pause"], status: 400, code: "E_BAD_BOARD" },
  {
    name: "bringing back what was never archived",
    ask: ["POST", "/boards/none/restore"],
    status: 404,
    code: "E_BOARD_NOT_FOUND",
  },
] as const;
for (const {
  name,
  ask: [method, path, body],
  status,
  code,
} of REFUSED)
  test(`${name} is answered with ${status}`, async (t) => {
    const { ask } = await setupRest(t, { real: true });
    const answer = await ask(method, path, body);
    assert.deepEqual([answer.status, answer.json.code], [status, code]);
  });

test("a board with running tasks is removed only when that is forced, and its workers end first", async (t) => {
  const { world, ask } = await setupRest(t, { real: true });
  await world.board.createBoard({ slug: "web" }, USER);
  const slug = "web" as BoardSlug;
  const { id } = (await world.board.create(slug, { title: "one" }, USER)).task;
  await world.board.claim(slug, id, { profile: "alice", lock: "host:1", by: USER });
  const refused = await ask("DELETE", "/boards/web");
  assert.deepEqual([refused.status, refused.json.code, world.stopper.stopped.length], [409, "E_BOARD_BUSY", 0]);
  assert.equal((await ask("DELETE", "/boards/web?force=true")).status, 200);
  assert.equal(world.stopper.stopped.length, 1);
});
