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

test("bulk: marked tasks are moved together, and what is refused is listed with why and stays marked", async (t) => {
  const screen = await openBoardScreen(t, {
    columns: 100,
    rows: 30,
    before: async (world) => {
      for (const title of ["one", "two"]) await make(world, title);
      await make(world, "rough", { triage: true });
    },
  });
  await screen.until((text) => text.includes("rough") && text.includes("two"));
  await screen.press("*");
  assert.match(screen.text(), /3 marked/);
  await screen.press("m");
  await screen.type("blocked");
  await screen.press("enter");
  const text = await screen.until((shown) => shown.includes("2 changed, 1 refused"));
  assert.match(text, /t_[0-9a-f]{8} +cannot block .*triage/);
  await screen.press("enter");
  assert.match(screen.text(), /1 marked/);
  await screen.until((shown) => shown.includes("blocked 2"));
  await screen.press("escape");
  assert.equal(screen.state().board.marked.size, 0);
});

test("a running task offers to be reclaimed before it is given to someone else", async (t) => {
  const screen = await openBoardScreen(t, {
    before: async (world) => {
      await claim(world, await make(world, "at work", { assignee: "alice" }));
    },
  });
  await screen.until((text) => text.includes("at work"));
  await screen.press("@");
  await screen.until((text) => text.includes("reclaim, then assign"));
  await screen.press("r");
  await screen.until((text) => text.includes("does everything"));
  await screen.type("bob");
  await screen.press("enter");
  await screen.until((text) => text.includes("reclaimed and assigned"));
  const task = await first(screen.world);
  assert.deepEqual([task?.assignee, task?.status], ["bob", "ready"]);
});

test("parents and children are added and removed from the list of links", async (t) => {
  const screen = await openBoardScreen(t, {
    columns: 100,
    rows: 30,
    before: async (world) => {
      await make(world, "alpha");
      await make(world, "omega");
    },
  });
  await screen.until((text) => text.includes("omega"));
  await screen.press("L");
  await screen.until((text) => text.includes("add a parent"));
  await screen.press("enter");
  await screen.until((text) => text.includes("waits for…"));
  await screen.type("omega");
  await screen.press("enter");
  await screen.until((text) => text.includes("todo 1"));
  const alpha = await first(screen.world);
  assert.equal(alpha?.parents.length, 1);
  await screen.press("h", "L");
  await screen.until((text) => text.includes("Enter removes the link"));
  await screen.type("parent t_");
  await screen.press("enter");
  await screen.until((text) => text.includes("ready 2"));
});

test("parents are completed by id or title, and skills by name, in the form of a new task", async (t) => {
  const screen = await openBoardScreen(t, {
    columns: 100,
    rows: 30,
    before: async (world) => {
      for (const title of ["lexer tests", "changelog"]) await make(world, title);
    },
  });
  await screen.until((text) => text.includes("lexer tests") && text.includes("changelog"));
  await screen.press("a");
  await screen.type("new one");
  await screen.press("tab", "tab", "tab");
  assert.match(screen.text(), /› Waits for/);
  await screen.type("lexer");
  assert.match(screen.text(), /t_[0-9a-f]{8} +lexer tests · ready/);
  assert.doesNotMatch(screen.text(), /t_[0-9a-f]{8} +changelog · ready/);
  assert.match(screen.text(), /↓ choose/);
  await screen.press("down");
  assert.match(screen.text(), /Enter selects/);
  await screen.press("enter");
  assert.match(screen.text(), /› Waits for +t_[0-9a-f]{8} /);
  assert.doesNotMatch(screen.text(), /lexer tests · ready/, "it is there already");
  assert.match(screen.text(), /changelog · ready/);
  await screen.press("tab", "tab");
  await screen.until((text) => text.includes("release-notes"));
  await screen.type("rev");
  await screen.press("down", "tab"); // what is marked is taken when the field is left, too
  await screen.press("enter");
  await screen.until((text) => /Created t_/.test(text));
  const made = (await screen.world.board.list(DEFAULT, {})).find(({ task }) => task.title === "new one")?.task;
  assert.deepEqual(made?.skills, ["review"]);
  const [parent] = (await screen.world.board.show(DEFAULT, made?.id ?? "")).parents;
  assert.equal(parent?.title, "lexer tests");
});

test("a word that completes nothing stays as it was typed", async (t) => {
  const screen = await openBoardScreen(t, { columns: 100, rows: 30, before: (world) => make(world, "the task") });
  await screen.until((text) => text.includes("the task"));
  await screen.press("a");
  await screen.type("new one");
  await screen.press("tab", "tab", "tab", "tab", "tab");
  await screen.until((text) => text.includes("release-notes"));
  await screen.type("notes-of-mine");
  await screen.press("ctrl+enter");
  await screen.until((text) => /Created t_/.test(text));
  const made = (await screen.world.board.list(DEFAULT, {})).find(({ task }) => task.title === "new one")?.task;
  assert.deepEqual(made?.skills, ["notes-of-mine"]);
});

test("an error of the owner stays in the form with everything that was typed", async (t) => {
  const screen = await openBoardScreen(t, { columns: 100, rows: 30, before: (world) => make(world, "the task") });
  await screen.until((text) => text.includes("the task"));
  await screen.press("a");
  await screen.type("new one");
  await screen.press("tab", "tab", "tab");
  await screen.type("t_ffffffff");
  await screen.press("ctrl+enter");
  await screen.until((text) => text.includes("unknown parent task(s): t_ffffffff"));
  assert.ok(screen.text().includes("new one"));
  await screen.press("escape");
  assert.equal((await screen.world.board.list(DEFAULT, {})).length, 1);
});

test("a worker that a move would stop is named first; only the answer moves the task", async (t) => {
  const screen = await openBoardScreen(t, {
    before: async (world) => {
      await claim(world, await make(world, "at work"));
    },
  });
  await screen.until((text) => text.includes("at work"));
  await screen.press("m");
  await screen.until((text) => text.includes("its worker is stopped"));
  await screen.type("triage");
  await screen.press("enter");
  await screen.until((text) => text.includes("stop it and move to triage"));
  await screen.press("enter");
  assert.equal((await first(screen.world))?.status, "running", "the safe answer is marked");
  await screen.press("m");
  await screen.until((text) => text.includes("its worker is stopped"));
  await screen.type("triage");
  await screen.press("enter", "s");
  await screen.until((text) => text.includes(": triage"));
  assert.equal((await first(screen.world))?.status, "triage");
});

test("specify works in the background: the card shows it and the outcome is said", async (t) => {
  const screen = await openBoardScreen(t, { before: (world) => make(world, "rough", { triage: true }) });
  await screen.until((text) => text.includes("rough"));
  await screen.press("s");
  assert.equal(screen.state().board.working.size, 1);
  await screen.until((text) => text.includes("no auxiliary client configured"));
  assert.equal(screen.state().board.working.size, 0);
});

test("a blocked task goes free by the same key; a task without a connection is left alone and that is said", async (t) => {
  const screen = await openBoardScreen(t, { before: (world) => make(world, "stuck", { initial_status: "blocked" }) });
  await screen.until((text) => text.includes("stuck"));
  await screen.send({ type: "connection", state: "lost" });
  await screen.press("b");
  assert.match(screen.text(), /not connected/);
  assert.ok(screen.text().includes("stuck"), "cards stay");
  await screen.send({ type: "connection", state: "connected" });
  await screen.press("b");
  await screen.until((text) => text.includes("ready 1"));
});

test("to the neighbouring column only where that is legal; completing on the way asks for the summary", async (t) => {
  const screen = await openBoardScreen(t, { before: (world) => make(world, "rough", { triage: true }) });
  await screen.until((text) => text.includes("rough"));
  await screen.press(">");
  await screen.until((text) => text.includes("ready 1"));
  await screen.press(">");
  assert.match(screen.text(), /running is set only by a claim/);
  await screen.press("<");
  await screen.until((text) => text.includes("todo 1") && text.includes("ready 0"));
});

test("another board is shown without becoming the one that commands use", async (t) => {
  const screen = await openBoardScreen(t, {
    world: { real: true },
    before: async (world) => {
      await world.board.createBoard({ slug: "other" }, USER);
      await make(world, "on default");
      await world.board.create("other" as never, { title: "on the other" }, USER);
    },
  });
  await screen.until((text) => text.includes("on default"));
  await screen.press("B");
  await screen.until((text) => text.includes("other"));
  await screen.type("other");
  await screen.press("enter");
  await screen.until((text) => text.includes("on the other") && !text.includes("on default"));
  assert.equal(screen.state().board.slug, "other");
  assert.equal((await screen.world.board.resolve({ env: {}, writes: false })).board, DEFAULT);
  await screen.world.board.create("other" as never, { title: "seen there too" }, USER);
  await screen.until((text) => text.includes("seen there too"));
});
