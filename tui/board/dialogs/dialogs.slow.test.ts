import assert from "node:assert/strict";
import { test } from "node:test";
import { type BoardWorld, DEFAULT, USER } from "../../../fixtures/sim/board-world.js";
import { openBoardScreen } from "../../../fixtures/tui/board-screen.js";
import type { TaskId } from "../../../lib/base/units.js";

const make = async (world: BoardWorld, title: string, more: object = {}) =>
  (await world.board.create(DEFAULT, { title, ...more }, USER)).task.id;
const claim = (world: BoardWorld, id: TaskId) =>
  world.board.claim(DEFAULT, id, { profile: "default", lock: "h:1", by: USER });
const first = (world: BoardWorld) => world.board.list(DEFAULT, { sort: "created" }).then(([row]) => row?.task);

test("W15: a task is made, assigned, commented, given a priority, moved and completed by keys only", async (t) => {
  const screen = await openBoardScreen(t, { columns: 100, rows: 30 });
  const { board } = screen.world;
  await screen.until((text) => text.includes("Press a to add one"));
  await screen.press("a");
  await screen.type("write the docs");
  await screen.press("tab");
  await screen.type("all of them");
  await screen.press("tab");
  await screen.until((text) => text.includes("alice"));
  await screen.type("ali");
  await screen.press("ctrl+enter");
  await screen.until((text) => text.includes("Created t_") && text.includes("ready 1"));
  const made = await first(screen.world);
  const id = made?.id as TaskId;
  assert.deepEqual(
    [made?.title, made?.body, made?.assignee, made?.status],
    ["write the docs", "all of them", "alice", "ready"],
  );

  await screen.press("@");
  await screen.until((text) => text.includes("Assign"));
  await screen.type("bob");
  await screen.press("enter");
  await screen.until((text) => text.includes("@bob"));
  assert.equal((await board.task(DEFAULT, id)).assignee, "bob");

  await screen.press("c");
  await screen.type("looks good");
  await screen.press("ctrl+enter");
  await screen.until((text) => text.includes(`commented on ${id}`));
  assert.deepEqual(
    (await board.show(DEFAULT, id)).comments.map((one) => [one.author, one.text]),
    [["user", "looks good"]],
  );

  await screen.press("p", "backspace");
  await screen.type("7");
  await screen.press("enter");
  await screen.until((text) => text.includes(`${id} P7`));

  await screen.press("m");
  await screen.until((text) => text.includes("todo") && text.includes("held until it is made ready"));
  await screen.type("triage");
  await screen.press("enter");
  await screen.until((text) => text.includes(`${id}: triage`));
  assert.equal((await board.task(DEFAULT, id)).status, "triage");
  await screen.press("m");
  await screen.until((text) => text.includes("archived"));
  await screen.type("ready");
  await screen.press("enter");
  await screen.until((text) => text.includes(`${id}: ready`));

  await screen.press("D");
  await screen.type("all written");
  await screen.press("ctrl+enter");
  await screen.until((text) => text.includes(`${id}: done`));
  const shown = await board.show(DEFAULT, id);
  assert.deepEqual([shown.task.status, shown.latest_summary], ["done", "all written"]);
  assert.deepEqual(screen.failures, []);
});

/** Key, and how the task stands before. */
const DIALOGS: readonly (readonly [key: string, status: "ready" | "triage" | "running", says: string])[] = [
  ["a", "ready", "New task"],
  ["A", "ready", "New task in triage"],
  ["m", "ready", "Move t_"],
  ["m", "triage", "Move t_"],
  ["@", "ready", "Assign t_"],
  ["@", "running", "is running"],
  ["c", "ready", "Comment on"],
  ["e", "ready", "Edit t_"],
  ["p", "ready", "Priority of"],
  ["b", "ready", "Block t_"],
  ["b", "running", "its worker is stopped"],
  ["D", "ready", "Complete t_"],
  ["x", "ready", "Archive t_"],
  ["x", "running", "its worker is stopped"],
  ["L", "ready", "Links of"],
  ["B", "ready", "Boards"],
];

for (const [key, status, says] of DIALOGS) {
  test(`W15: Esc leaves the dialog of ${key} on a ${status} task without effect`, async (t) => {
    const screen = await openBoardScreen(t, {
      before: async (world) => {
        const id = await make(world, "the task", { triage: status === "triage", body: "b" });
        if (status === "running") await claim(world, id);
      },
    });
    await screen.until((text) => text.includes("the task"));
    const before = await screen.world.board.lastEvent(DEFAULT);
    const task = await first(screen.world);
    await screen.press(key);
    await screen.until((text) => text.includes(says));
    await screen.press("escape");
    assert.equal(screen.state().overlay, undefined);
    assert.equal(screen.state().focus, "board");
    assert.ok(screen.text().includes("the task"));
    assert.deepEqual([await screen.world.board.lastEvent(DEFAULT), await first(screen.world)], [before, task]);
  });
}

test("W17: the move dialog says why a task that waits is not to be made ready, refuses it, and never offers running", async (t) => {
  const screen = await openBoardScreen(t, {
    before: async (world) => {
      const parent = await make(world, "the parent");
      await make(world, "the child", { parents: [parent] });
    },
  });
  await screen.until((text) => text.includes("the child"));
  await screen.press("h", "m");
  const text = await screen.until((shown) => shown.includes("waits for t_00000001") || /waits for t_/.test(shown));
  assert.match(text, /ready +.*waits for t_[0-9a-f]{8}/);
  const dialog = screen.state().overlay;
  assert.equal(dialog?.kind === "pick" && dialog.items?.some((item) => item.value === "running"), false);
  await screen.type("ready");
  await screen.press("enter");
  assert.match(screen.text(), /waits for t_/);
  assert.notEqual(screen.state().overlay, undefined, "the list stays");
});

test("a move is shown at once and taken back with a notice when it is refused", async (t) => {
  const screen = await openBoardScreen(t, { before: (world) => make(world, "the task") });
  await screen.until((text) => text.includes("the task"));
  const id = (await first(screen.world))?.id as TaskId;
  await screen.press("m");
  await screen.until((text) => text.includes("held until"));
  const { world } = screen;
  const write = world.board.write;
  let release: () => void = () => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  Object.assign(world.board, {
    write: async (...given: Parameters<typeof write>) => {
      await held;
      await world.board.block(DEFAULT, id, { reason: "no" }, USER);
      return write(...given);
    },
  });
  await screen.type("triage");
  await screen.press("enter");
  assert.match(screen.text(), /triage 1 .*ready 0/);
  release();
  await screen.until((text) => text.includes("not moved") && text.includes("blocked 1") && text.includes("triage 0"));
  assert.equal((await world.board.task(DEFAULT, id)).status, "blocked");
});

test("a task that someone else changes while it is edited says so, and is overwritten only when that is wanted", async (t) => {
  const screen = await openBoardScreen(t, {
    columns: 100,
    rows: 30,
    before: (world) => make(world, "old title", { body: "old" }),
  });
  await screen.until((text) => text.includes("old title"));
  const id = (await first(screen.world))?.id as TaskId;
  await screen.press("e");
  await screen.until((text) => text.includes("Edit t_"));
  await screen.type(" and more");
  await screen.world.board.edit(DEFAULT, id, { body: "theirs" }, USER);
  await screen.until((text) => text.includes("changed by user"));
  await screen.press("ctrl+enter");
  await screen.until((text) => text.includes("overwrite"));
  assert.equal((await screen.world.board.task(DEFAULT, id)).title, "old title", "nothing was written yet");
  assert.match(
    screen.text(),
    /user changed t_[\s\S]*Title now:[^\n]*\n[^\n]*old title [\s\S]*after saving:[^\n]*\n[^\n]*old title and more/,
  );
  await screen.press("escape");
  assert.equal(screen.state().overlay, undefined);
  await screen.press("e");
  await screen.until((text) => text.includes("Edit t_") && text.includes("old title and more"));
  await screen.press("ctrl+enter");
  await screen.until((text) => text.includes("overwrite"));
  await screen.press("b");
  await screen.until((text) => text.includes("Edit t_") && text.includes("old title and more"));
  await screen.press("ctrl+enter");
  await screen.until((text) => text.includes("overwrite"));
  await screen.press("o");
  await screen.until((text) => text.includes(`${id} saved`));
  const task = await screen.world.board.task(DEFAULT, id);
  assert.deepEqual([task.title, task.body], ["old title and more", "theirs"], "what was not edited stays theirs");
});
