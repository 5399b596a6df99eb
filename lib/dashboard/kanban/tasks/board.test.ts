import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { test } from "node:test";
import { setupRest } from "../../../../fixtures/dashboard/rest.js";
import { proves } from "../../../../fixtures/requirements.js";
import { DEFAULT, USER } from "../../../../fixtures/sim/board-world.js";
import type { BoardView } from "../../../contracts/board/explain.js";

const column = ({ columns }: BoardView, name: string) => columns.find((one) => one.name === name);

test("a board that was never written is shown empty, and nothing is made for it", async (t) => {
  const { world, ask } = await setupRest(t, { real: true });
  const { json } = await ask<BoardView>("GET", "/board?include_archived=1");
  assert.deepEqual([json.board, json.paused, json.tenants, json.latest_event_id], ["default", false, [], 0]);
  assert.equal(existsSync(`${world.root}/kanban.db`), false);
});

test("cards stand by priority and age, finished ones newest first, each column as far as it was asked for", async (t) => {
  proves(t, "dashboard.board");
  const { world, ask } = await setupRest(t);
  for (const [title, priority] of [
    ["low", 0],
    ["high", 9],
    ["mid", 5],
    ["later", 5],
  ] as const) {
    await world.board.create(DEFAULT, { title, priority, tenant: priority > 4 ? "acme" : "" }, USER);
    world.clock.advance(1000);
  }
  for (const title of ["d1", "d2", "d3"]) {
    const { task } = await world.board.create(DEFAULT, { title }, USER);
    await world.board.complete(DEFAULT, task.id, { summary: "s".repeat(300) }, USER);
    world.clock.advance(1000);
  }
  const titles = async (query: string, name: string) => {
    const found = column((await ask<BoardView>("GET", `/board${query}`)).json, name);
    return [found?.total, found?.tasks.map((card) => card.title)];
  };
  assert.deepEqual(await titles("", "ready"), [4, ["high", "mid", "later", "low"]]);
  assert.deepEqual(await titles("?limit=2", "ready"), [4, ["high", "mid"]]);
  assert.deepEqual(await titles("?tenant=acme", "ready"), [3, ["high", "mid", "later"]]);
  assert.deepEqual(await titles("?limit=2", "done"), [3, ["d3", "d2"]]);
  assert.deepEqual(await titles("?workflow_template_id=x", "ready"), [0, []]);
  assert.deepEqual(await titles("?workflow_template_id=&current_step_key=", "ready"), [
    4,
    ["high", "mid", "later", "low"],
  ]);
  const { json } = await ask<BoardView>("GET", "/board");
  assert.deepEqual([json.tenants, column(json, "done")?.tasks[0]?.latest_summary?.length], [["acme"], 200]);
});

test("a board that did not change is not sent again, however much time has passed; any change is seen", async (t) => {
  const { world, ask } = await setupRest(t);
  const { id } = (await world.board.create(DEFAULT, { title: 'with "age":{ in it}', assignee: "alice" }, USER)).task;
  const look = (tag = "", query = "") => ask("GET", `/board${query}`, undefined, { headers: { "if-none-match": tag } });
  const first = await look();
  const tag = first.headers.etag ?? "";
  world.clock.advance(5000);
  for (const same of [tag, tag.replace("W/", ""), `"x", ${tag}`, "*"]) {
    const again = await look(same);
    assert.deepEqual([again.status, again.bytes.length, again.headers.etag], [304, 0, tag]);
  }
  assert.equal((await look(tag, "?limit=1")).status, 304);
  const seen = new Set([tag]);
  const changes = [
    () => world.board.comment(DEFAULT, id, "x", USER),
    () => world.board.edit(DEFAULT, id, { title: 'with "age":{ in them}' }, USER),
    () => world.board.block(DEFAULT, id, {}, USER),
    () => world.board.pause(DEFAULT, {}, USER),
    () => world.board.remove(DEFAULT, id, { any: true }, USER),
  ];
  for (const change of changes) {
    await change();
    const answer = await look(tag);
    assert.deepEqual([answer.status, seen.has(answer.headers.etag ?? "")], [200, false]);
    seen.add(answer.headers.etag ?? "");
  }
});

test("a board named in the query wins over a pin, and a pin over the one in use", async (t) => {
  const env: Record<string, string> = { AGENT_KANBAN_BOARD: "pinned" };
  const { world, ask } = await setupRest(t, { real: true, parts: { env } });
  for (const slug of ["pinned", "asked"]) await world.board.createBoard({ slug }, USER);
  const made = async (query: string) => (await ask<BoardView>("GET", `/board${query}`)).json.board;
  assert.deepEqual(
    [await made(""), await made("?board=asked"), await made("?board=Default")],
    ["pinned", "asked", "default"],
  );
  await ask("POST", "/tasks", { title: "one" });
  assert.equal((await world.board.list("pinned" as typeof DEFAULT, {})).length, 1);
  env["AGENT_KANBAN_BOARD"] = "gone";
  assert.equal(await made(""), "default");
  assert.equal(
    (await ask("POST", "/tasks", { title: "one" })).status,
    404,
    "work never lands on another board unnoticed",
  );
});

test("ids of one board mean nothing on another", async (t) => {
  const { world, ask } = await setupRest(t, { real: true });
  await world.board.createBoard({ slug: "other" }, USER);
  const { id } = (await world.board.create(DEFAULT, { title: "one" }, USER)).task;
  for (const [method, body] of [
    ["GET", undefined],
    ["PATCH", { title: "x" }],
    ["DELETE", undefined],
  ] as const)
    assert.equal((await ask(method, `/tasks/${id}?board=other`, body)).status, 404);
  assert.equal((await world.board.task(DEFAULT, id)).title, "one");
});

test("a board whose store is damaged says so, its file stays as it is, and other boards are served", async (t) => {
  const { world, ask } = await setupRest(t, { real: true });
  await world.board.createBoard({ slug: "other" }, USER);
  const path = `${world.root}/kanban.db`;
  const garbage = Buffer.alloc(8192, "no store ");
  writeFileSync(path, garbage);
  for (const [method, at, body] of [
    ["GET", "/board", undefined],
    ["GET", "/tasks/t_00000000", undefined],
    ["POST", "/tasks", { title: "x" }],
  ] as const) {
    const answer = await ask(method, at, body);
    assert.deepEqual([answer.status, answer.json.code], [503, "E_STORE"]);
  }
  assert.deepEqual(readFileSync(path), garbage);
  assert.equal((await ask("GET", "/board?board=other")).status, 200);
});
