import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { kanban } from "../../fixtures/sim/board-cli.js";
import { type BoardWorld, setupBoard } from "../../fixtures/sim/board-world.js";
import type { Subscription } from "../contracts/board/notify.js";

const HERE = ["--platform", "msgt", "--chat-id", "5"];

async function make(world: BoardWorld): Promise<string> {
  return (await kanban(world, ["create", "one", "--json"])).json<{ id: string }>().id;
}

test("subscribing twice leaves one row without a thread, and it goes once", async (t) => {
  const world = setupBoard(t);
  const id = await make(world);
  for (let time = 0; time < 2; time++) {
    const { out, code } = await kanban(world, ["notify", "subscribe", id, ...HERE]);
    assert.deepEqual([out, code], [`Subscribed msgt:5 to ${id}\n`, 0]);
  }
  const rows = (await kanban(world, ["notify-list", "--json"])).json<Subscription[]>();
  assert.deepEqual(
    rows.map(({ task_id, thread_id, chat_id }) => ({ task_id, thread_id, chat_id })),
    [{ task_id: id, thread_id: "", chat_id: "5" }],
  );
  const first = await kanban(world, ["notify", "unsubscribe", id, ...HERE]);
  assert.deepEqual([first.out, first.code], [`Unsubscribed from ${id}\n`, 0]);
  const second = await kanban(world, ["notify-unsubscribe", id, ...HERE]);
  assert.deepEqual([second.out, second.code], ["(no such subscription)\n", 1]);
});

test("the list says where, since when and for whom, and on a fresh home makes nothing", async (t) => {
  const world = setupBoard(t);
  assert.equal((await kanban(world, ["notify", "list"])).out, "(no subscriptions)\n");
  assert.equal(existsSync(join(world.root, "kanban.db")), false);
  const id = await make(world);
  await kanban(world, ["notify-subscribe", id.slice(0, 5), ...HERE, "--notifier-profile", "ops"]);
  await kanban(world, ["notify", "subscribe", "--all-tasks", "--tenant", "blue", ...HERE, "--thread-id", "7"]);
  const lines = (await kanban(world, ["notify", "list"])).out.split("\n");
  assert.equal(lines[0], `  ${id} msgt:5  (since event 1) owner=ops`);
  assert.equal(lines[1], "  all tasks of tenant blue msgt:5:7  (since event 1) owner=-");
  assert.equal((await kanban(world, ["notify", "list", id, "--json"])).json<unknown[]>().length, 1);
});

const REFUSED: readonly (readonly [string, readonly string[], RegExp])[] = [
  ["neither a task nor all", HERE, /missing task/],
  ["a task and all", ["t_00000001", "--all-tasks", ...HERE], /exclude each other/],
  ["a tenant without all", ["ID", "--tenant", "x", ...HERE], /--tenant requires --all-tasks/],
  ["no platform", ["ID", "--chat-id", "5"], /missing --platform/],
  ["no chat", ["ID", "--platform", "msgt"], /missing --chat-id/],
  ["a blank chat", ["ID", "--platform", "msgt", "--chat-id", " "], /--chat-id/],
  ["a platform that is none", ["ID", "--platform", "no way", "--chat-id", "5"], /unknown platform 'no way'/],
  ["a platform that nobody has", ["ID", "--platform", "bogus", "--chat-id", "5"], /'bogus'.*one of msgd, msgf/s],
  [
    "the whole board to a platform that nobody has",
    ["--all-tasks", "--platform", "bogus", "--chat-id", "5"],
    /'bogus'/,
  ],
  ["a kind that is none", ["ID", "--kinds", "completed,compelted", ...HERE], /compelted/],
  ["no kind", ["ID", "--kinds", ",", ...HERE], /at least one event kind/],
];

for (const [what, argv, message] of REFUSED) {
  test(`notify subscribe refuses ${what} with exit 2 and stores nothing`, async (t) => {
    const world = setupBoard(t);
    const id = await make(world);
    const { code, err } = await kanban(world, [
      "notify",
      "subscribe",
      ...argv.map((word) => (word === "ID" ? id : word)),
    ]);
    assert.equal(code, 2, err);
    assert.match(err, message);
    assert.equal((await kanban(world, ["notify", "list"])).out, "(no subscriptions)\n");
  });
}

test("an unknown task is refused with exit 1, as JSON too", async (t) => {
  const world = setupBoard(t);
  await make(world);
  const { code, json } = await kanban(world, ["notify", "subscribe", "t_00000000", ...HERE, "--json"]);
  assert.deepEqual([code, json<{ error: { code: string } }>().error.code], [1, "E_NOT_FOUND"]);
});
